package config

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"bayestream/internal/shell/budget"
)

// Problems are what is wrong with settings, each a sentence.
type Problems []error

// If adds a problem, in the words of a format, where there is one.
func (p *Problems) If(wrong bool, format string, args ...any) {
	if wrong {
		*p = append(*p, fmt.Errorf(format, args...))
	}
}

// named is the value of a flag.
type named struct{ flag, value string }

// aboveZero is what is wrong with a time that is not.
const aboveZero = "%s: %s; want a time above zero, like 2s"

// topicProblems checks the names of topics, which must differ.
func topicProblems(topics ...named) (found Problems) {
	owner := map[string]string{}
	for _, topic := range topics {
		wrong, first := checkTopic(topic.flag, topic.value), owner[topic.value]
		found = append(found, wrong)
		found.If(wrong == nil && first != "", "%s and %s are both %q: they need different topics", first, topic.flag,
			topic.value)
		owner[topic.value] = topic.flag
	}
	return found
}

// legalTopic reports whether Kafka accepts the name of a topic
// (org.apache.kafka.common.internals.Topic). It is not a regular expression: one with a count of
// 249 takes longer to compile, at every start, than the flags take to parse.
func legalTopic(name string) bool {
	return len(name) <= 249 && !strings.ContainsFunc(name, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
		return !letter && !strings.ContainsRune("._-", r)
	})
}

func checkTopic(flag, topic string) error {
	switch {
	case topic == "":
		return fmt.Errorf("%s is empty: name a topic", flag)
	case topic == "." || topic == ".." || !legalTopic(topic):
		return fmt.Errorf("%s: %q is not a valid topic name: want up to 249 letters, digits, dots, dashes and underscores",
			flag, topic)
	}
	return nil
}

// CheckMemory checks the size of --memory.
func CheckMemory(size string) error {
	if _, err := budget.Parse(size); err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	return nil
}

// CheckListen checks an address to listen on; the empty one is valid. The host is required: a bare
// :7431 would listen on all interfaces without saying so.
func CheckListen(flag, address string) error {
	if address == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%s: %q is not host:port, like 127.0.0.1:7431", flag, address)
	}
	if host == "" {
		return fmt.Errorf("%s: %q has no host: want 127.0.0.1:%s for this machine only, or 0.0.0.0:%s for all interfaces",
			flag, address, port, port)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%s: port %q of %q is not a number from 0 to 65535", flag, port, address)
	}
	return nil
}

// stateProblem checks that a model file can be created at its path. Missing directories are
// created later.
func stateProblem(file string) error {
	if file == "" {
		return errors.New("--state is empty: name the model file")
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("--state: %s is a directory: name a file in it", file)
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if errors.Is(err, os.ErrNotExist) && dir != filepath.Dir(dir) {
			continue
		}
		if err == nil && !info.IsDir() || errors.Is(err, syscall.ENOTDIR) {
			return fmt.Errorf("--state: %s cannot be created: %s is not a directory", file, dir)
		}
		return nil
	}
}

// bootstrapProblem checks the address of a snapshot. If the model file exists the snapshot is not
// read and may be missing.
func bootstrapProblem(place, state string) error {
	if place == "" {
		return nil
	}
	if strings.Contains(place, "://") {
		u, err := url.Parse(place)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("--bootstrap: %q is not the URL of a snapshot: want one like "+
				"http://127.0.0.1:7431/v1/snapshot", Redact(place))
		}
		return nil
	}
	if checkFile(state) == nil {
		return nil
	}
	if info, err := os.Stat(place); err == nil && info.IsDir() {
		return nil
	}
	if err := checkFile(place); err != nil {
		return fmt.Errorf("--bootstrap: %w", err)
	}
	return nil
}

func checkFile(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return fmt.Errorf("%s does not exist", name)
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", name, err)
	case info.IsDir():
		return fmt.Errorf("%s is a directory, not a file", name)
	}
	return nil
}

// oneOf returns a list of values as "a, b or c", without the empty one.
func oneOf(values []string) string {
	values = slices.DeleteFunc(slices.Clone(values), func(v string) bool { return v == "" })
	last := len(values) - 1
	return strings.Join(values[:last], ", ") + " or " + values[last]
}

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
