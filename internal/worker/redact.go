package worker

import "regexp"

// userinfo is what may stand before the host of a URL: a user and a password, or a token. It ends with the
// last @ before the path.
var userinfo = regexp.MustCompile(`://[^\s/?#]*@`)

// withoutUser hides who a URL in an error logs in as: errors are logged, and asked about in public.
func withoutUser(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); userinfo.MatchString(text) {
		return redacted{text: userinfo.ReplaceAllString(text, "://xxxxx@"), err: err}
	}
	return err
}

// redacted is an error in other words.
type redacted struct {
	text string
	err  error
}

func (r redacted) Error() string { return r.text }
func (r redacted) Unwrap() error { return r.err }
