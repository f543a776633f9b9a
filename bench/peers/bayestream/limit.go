package main

import "bayestream/bench/timing"

// rows is how many rows the table of the limit has; they do not fit into a cache.
const rows = 1 << 20

// measureLimit measures a lower bound of learning and labelling a text: one pass over its bytes, a
// hash of each word, and one random row of a large table for each.
func measureLimit(learn, test []item) (r result) {
	counts := make([][4]uint32, rows)
	weights := make([][4]float32, rows)
	for i := range weights {
		counts[i] = [4]uint32{1}
		weights[i] = [4]float32{float32(i), 1, 2, 3}
	}
	start := timing.ProcessorSeconds()
	for i := range learn {
		words(learn[i].text, func(hash uint64) { counts[(hash^hash>>32)%rows][i%4]++ })
	}
	r.Train = timing.ProcessorSeconds() - start
	var best float32
	start = timing.ProcessorSeconds()
	for i := range test {
		var sum [4]float32
		words(test[i].text, func(hash uint64) {
			row := &weights[(hash^hash>>32)%rows]
			for c := range sum {
				sum[c] += row[c]
			}
		})
		best += max(sum[0], sum[1], sum[2], sum[3])
	}
	r.Classify = timing.ProcessorSeconds() - start
	r.Classified = len(test)
	if best < 0 { // never; the compiler must not remove the sums
		r.Classified = 0
	}
	return r
}

// inWord holds the lower case of letters, digits and all bytes beyond ASCII; 0 separates words.
var inWord = func() (table [256]byte) {
	for c := range table {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c >= 0x80:
			table[c] = byte(c)
		case 'A' <= c && c <= 'Z':
			table[c] = byte(c) + 'a' - 'A'
		}
	}
	return table
}()

// words calls use with the FNV-1a hash of each word of two bytes or more.
func words(text []byte, use func(hash uint64)) {
	const basis, prime = 14695981039346656037, 1099511628211
	hash := uint64(basis)
	length := 0
	for _, c := range text {
		if lower := inWord[c]; lower != 0 {
			hash = (hash ^ uint64(lower)) * prime
			length++
			continue
		}
		if length >= 2 {
			use(hash)
		}
		hash = basis
		length = 0
	}
	if length >= 2 {
		use(hash)
	}
}
