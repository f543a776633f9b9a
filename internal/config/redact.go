package config

import "regexp"

// userinfo matches the user, password or token of a URL: all between :// and the last @ before the path.
// Text that is no valid URL may still hold a password, so nothing is parsed.
var userinfo = regexp.MustCompile(`://[^/?#]*@`)

// Redact replaces the user and password of every URL in text by asterisks.
func Redact(text string) string { return userinfo.ReplaceAllString(text, "://******@") }

// RedactError returns err with the users and passwords of the URLs in its text replaced by asterisks.
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
