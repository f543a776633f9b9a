package config

import "regexp"

// userinfo matches the user, password or token of a URL: all between :// and the last @ before the
// path, or, if a password with a slash is there, before the next space or quote. Text that is no
// valid URL may still hold a password, so nothing is parsed. A URL that was taken for a path has
// one slash.
var userinfo = regexp.MustCompile(`(:/+)(?:[^/?#]*|[^/?#:@\s\[]*:[0-9]*[^0-9/?#\s][^\s"]*)@`)

// Redact replaces the user and password of every URL in text by asterisks.
func Redact(text string) string { return userinfo.ReplaceAllString(text, "${1}******@") }

// FileOrURL is a flag that names a file, a folder or a URL. fmt and encoders write it without the
// user and password of the URL.
type FileOrURL string

// Reveal returns all of it.
func (f FileOrURL) Reveal() string { return string(f) }

// String returns it redacted.
func (f FileOrURL) String() string { return Redact(string(f)) }

// MarshalText writes it redacted, to JSON too.
func (f FileOrURL) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// RedactError returns err with the users and passwords of the URLs in its text replaced by
// asterisks.
func RedactError(err error) error {
	if err == nil || !userinfo.MatchString(err.Error()) {
		return err
	}
	return redactedError{err}
}

// redactedError is an error whose text is redacted.
type redactedError struct{ err error }

func (e redactedError) Error() string { return Redact(e.err.Error()) }
func (e redactedError) Unwrap() error { return e.err }
