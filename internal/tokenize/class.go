package tokenize

import "strconv"

// Indexes of classTerms. Between shortNumber and longNumber the index is the number of digits.
const (
	urlClass    = 0
	mailClass   = 1
	shortNumber = 4  // digits of the longest number that stays as it is: a year, a price
	longNumber  = 20 // from here on numbers are not told apart by length
)

// classTerms are the terms of the classes. No word contains '<', so none is ever mistaken for one.
var classTerms = func() (terms [longNumber + 1][]byte) {
	terms[urlClass] = []byte("<url>")
	terms[mailClass] = []byte("<mail>")
	for digits := shortNumber + 1; digits < longNumber; digits++ {
		terms[digits] = []byte("<num:" + strconv.Itoa(digits) + ">")
	}
	terms[longNumber] = []byte("<num:" + strconv.Itoa(longNumber) + "+>")
	return terms
}()

// classify returns the kind of a word of some shape, and its class when it has one.
func classify(word []byte, made shape) (k kind, c uint8) {
	switch {
	case made == letter:
		return plainWord, 0
	case made&letter != 0:
		return oddWord, 0
	case made&digit == 0:
		return emojiWord, 0
	}
	digits := 0
	for _, r := range string(word) {
		if shapeOf(r) == digit {
			digits++
		}
	}
	if digits <= shortNumber {
		return oddWord, 0
	}
	return class, uint8(min(digits, longNumber))
}
