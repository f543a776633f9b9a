package config

import (
	"fmt"
	"strconv"

	"bayestream/internal/shell/wire"
)

// Classes is a number of classes, 0 for all of them.
type Classes int

// UnmarshalText reads a number, or all.
func (c *Classes) UnmarshalText(text []byte) error {
	if string(text) == "all" {
		*c = 0
		return nil
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a number of classes, or all", text)
	}
	*c = Classes(n)
	return nil
}

// String returns what UnmarshalText reads.
func (c Classes) String() string {
	if c == 0 {
		return "all"
	}
	return strconv.Itoa(int(c))
}

// CheckDigits returns an error for a number of digits that no decision is written with.
func CheckDigits(digits int) error {
	if digits < 0 || digits > wire.MaxDigits {
		const want = "want 1 to %d, or 0 for the shortest form of each number"
		return fmt.Errorf("--digits: %d; "+want, digits, wire.MaxDigits)
	}
	return nil
}

// Form returns how decisions are written.
func (c Classify) Form() wire.Form { return wire.Form{Classes: int(c.Classes), Digits: c.Digits} }
