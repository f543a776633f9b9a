package tokenize

import "strconv"

const (
	shortNumber = 4  // digits of the longest number that stays as it is: a year, a price
	longNumber  = 20 // numbers of so many digits or more have one class
)

// classTerms are the terms of the classes, from urlClass on. No word contains '<', so none is ever
// mistaken for one.
var classTerms = func() (terms [numClass + longNumber + 1 - urlClass][]byte) {
	terms[0] = []byte("<url>")
	terms[mailClass-urlClass] = []byte("<mail>")
	numbers := terms[numClass-urlClass:]
	for digits := shortNumber + 1; digits < longNumber; digits++ {
		numbers[digits] = []byte("<num:" + strconv.Itoa(digits) + ">")
	}
	numbers[longNumber] = []byte("<num:" + strconv.Itoa(longNumber) + "+>")
	return terms
}()

// classify returns the kind of a word of some shape.
func classify(word []byte, made shape) kind {
	switch {
	case made == letter:
		return plainWord
	case made&letter != 0:
		return oddWord
	case made&digit == 0:
		return emojiWord
	}
	digits := 0
	for _, r := range string(word) {
		if shapeOf(r) == digit {
			digits++
		}
	}
	if digits <= shortNumber {
		return oddWord
	}
	return numClass + kind(min(digits, longNumber))
}
