package stream_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
)

// printToken is the command: it prints what a file holds, to both of its outputs, and leaves a line
// for each run in another file.
func printToken(what, file string) (code int) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 1
	}
	runs, err := os.OpenFile(file+".runs", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return 1
	}
	fmt.Fprintln(runs)
	fmt.Print(string(text))
	fmt.Fprint(os.Stderr, string(text))
	if what == "token-hangs" {
		time.Sleep(time.Hour)
	}
	if what == "token-fails" {
		return 3
	}
	return 0
}

// printer is a command that prints what a file holds.
type printer struct {
	t    *testing.T
	file string
}

func newPrinter(t *testing.T, text string) *printer {
	p := &printer{t, filepath.Join(t.TempDir(), "token")}
	p.prints(text)
	return p
}

func (p *printer) prints(text string) { filetest.Write(p.t, p.file, text) }

func (p *printer) command(what string) stream.SASL {
	return stream.SASL{Mechanism: "oauthbearer", TokenCommand: os.Args[0] + "  " + what + " " + p.file}
}

func (p *printer) runs() int {
	p.t.Helper()
	return bytes.Count(filetest.Read(p.t, p.file+".runs"), []byte("\n"))
}

// jwt returns a token that ends after some time.
func jwt(life time.Duration) string {
	claims := fmt.Sprintf(`{"sub":"ann","exp":%d}`, time.Now().Add(life).Unix())
	return "e30." + base64.RawURLEncoding.EncodeToString([]byte(claims)) + ".c2ln"
}

// TestTokenCommand: the command is run once for a token with some life left, and again before it
// ends.
func TestTokenCommand(t *testing.T) {
	for _, c := range []struct {
		name, token string
		runs        int
	}{
		{"an hour", jwt(time.Hour), 1},
		{"no end that it tells", "b64-of_a.signed~URL==", 1},
		{"dots and no claims", "a.b.c", 1},
		{"10 s, of which half are too few", jwt(10 * time.Second), 3},
		{"an end in the past", jwt(-time.Hour), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPrinter(t, c.token+"\n")
			start := stream.StartSASL(p.command("token-prints"))
			for range 3 {
				if first, err := start(t.Context()); err != nil || string(first) != "n,,\x01auth=Bearer "+c.token+"\x01\x01" {
					t.Fatalf("the first message is %q, %v", first, err)
				}
			}
			if got := p.runs(); got != c.runs {
				t.Errorf("%d runs, want %d", got, c.runs)
			}
		})
	}
}

// TestTokenCommandAfterRefusal: a token that a broker refuses is not used again.
func TestTokenCommandAfterRefusal(t *testing.T) {
	p := newPrinter(t, "first")
	start := stream.ExchangeSASL(p.command("token-prints"))
	_, answer, err := start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := answer([]byte("invalid")); !refusal(err) || strings.Contains(err.Error(), "first") {
		t.Fatalf("a token that is refused: %v", err)
	}
	p.prints("second")
	if first, _, err := start(t.Context()); err != nil || !strings.Contains(string(first), "Bearer second") {
		t.Errorf("after a refusal the first message is %q, %v", first, err)
	}
}

// TestTokenCommandFails: the error says what is wrong with the command, and nothing that it wrote.
func TestTokenCommandFails(t *testing.T) {
	const secret = "s3cret"
	for _, c := range []struct{ what, prints, want string }{
		{"token-fails", secret, "failed (exit status 3): run it by hand to see why"},
		{"token-prints", "", "printed no token: want one word on its standard output"},
		{"token-prints", secret + " " + secret, "printed no token"},
		{"token-prints", secret + "\x01auth=Bearer other", "printed no token"},
		{"token-prints", strings.Repeat(secret, 20_000), "failed"},
	} {
		_, err := stream.StartSASL(newPrinter(t, c.prints).command(c.what))(t.Context())
		if !refusal(err) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s that prints %.20q: %.200v, want %q and no secret", c.what, c.prints, err, c.want)
		}
	}
	_, err := stream.Dial(stream.Config{Brokers: []string{"127.0.0.1:9092"}, SASL: stream.SASL{Mechanism: "oauthbearer", TokenCommand: "/no/such/program"}})
	if err == nil || !strings.Contains(err.Error(), "sasl-token-command") {
		t.Errorf("Dial takes a command that is not there: %v", err)
	}
}

// TestTokenCommandHangs: a command that does not end is ended, and the connection may be tried
// again.
func TestTokenCommandHangs(t *testing.T) {
	p := newPrinter(t, "token")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if _, err := os.Stat(p.file + ".runs"); err == nil {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	_, err := stream.StartSASL(p.command("token-hangs"))(ctx)
	if err == nil || refusal(err) || !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "did not end in time") {
		t.Errorf("got %v, want an error that may pass", err)
	}
}
