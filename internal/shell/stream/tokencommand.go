package stream

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

func checkTokenCommand(command string) error {
	words := strings.Fields(command)
	if len(words) == 0 {
		return nil // there is none
	}
	if _, err := exec.LookPath(words[0]); err != nil {
		return fmt.Errorf("sasl-token-command: %w", err)
	}
	return nil
}

// mostToken is more than any token has.
const mostToken = 64 << 10

// runTokenCommand runs a command, without a shell, and returns the token that it prints. Its errors
// hold nothing that it has written, which may be a secret.
func runTokenCommand(ctx context.Context, command string) (*oauth2.Token, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenTimeout)
	defer cancel()
	words := strings.Fields(command)
	program := exec.CommandContext(ctx, words[0], words[1:]...)
	program.WaitDelay = time.Second // for what it has started, and left behind
	out := limited{left: mostToken}
	program.Stdout = &out
	err := program.Run()
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("the command %s did not end in time: %w", words[0], ctx.Err())
	case err != nil:
		return nil, fmt.Errorf("the command %s failed (%w): run it by hand to see why", words[0], err)
	}
	token := string(bytes.TrimSpace(out.text))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, fmt.Errorf("the command %s printed no token: want one word on its standard output", words[0])
	}
	return &oauth2.Token{AccessToken: token, Expiry: keepUntil(token, time.Now())}, nil
}

// limited keeps the beginning of what is written to it, and refuses the rest.
type limited struct {
	text []byte
	left int
}

// Write implements io.Writer.
func (b *limited) Write(p []byte) (int, error) {
	if len(p) > b.left {
		return 0, errors.New("its output is too long")
	}
	b.left -= len(p)
	b.text = append(b.text, p...)
	return len(p), nil
}

// keepUntil returns until when a token is used for new connections: for half of the life that is
// left to it, as a broker may end a connection with its token. A token that does not say when it
// ends is used for a minute.
func keepUntil(token string, now time.Time) time.Time {
	parts := strings.Split(token, ".") // of a JWT (RFC 7519): header, claims, signature
	if len(parts) != 3 {
		return now.Add(time.Minute)
	}
	var claims struct {
		End float64 `json:"exp"`
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil || json.Unmarshal(text, &claims) != nil || claims.End <= 0 {
		return now.Add(time.Minute)
	}
	return now.Add(time.Unix(int64(claims.End), 0).Sub(now) / 2)
}
