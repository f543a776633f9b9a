package stream

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a string that fmt, loggers and encoders write as six asterisks, or as
// nothing if it is empty. Only Reveal returns it.
type Secret string

const asterisks = "******"

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String returns asterisks.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return asterisks
}

// Format writes asterisks for every verb, %x and %#v included.
func (s Secret) Format(f fmt.State, verb rune) {
	if verb == 'q' || verb == 'v' && f.Flag('#') {
		fmt.Fprintf(f, "%q", s.String())
		return
	}
	_, _ = io.WriteString(f, s.String())
}

// MarshalText writes asterisks, to JSON and YAML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the secret itself.
func (s *Secret) UnmarshalText(text []byte) error {
	*s = Secret(text)
	return nil
}

// LogValue logs asterisks.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
