//go:build tools

package python

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mailbox is a server that speaks as much of IMAP (RFC 3501) as the recipe uses. It serves one
// client at a time.
type mailbox struct {
	t       *testing.T
	address string
	folders map[string][]*message
	last    int // uid
	fetched int
	folder  string // that is selected
}

// message is a mail in a folder.
type message struct {
	uid   int
	text  string
	flags map[string]bool
}

func newMailbox(t *testing.T) *mailbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailbox{t: t, address: l.Addr().String(), folders: map[string][]*message{}}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // it is closed
			}
			m.serve(c)
		}
	}()
	return m
}

// put adds a mail to a folder. It is called while no client is there.
func (m *mailbox) put(folder, text string) {
	m.last++
	m.folders[folder] = append(m.folders[folder], &message{m.last, text, map[string]bool{}})
}

// holds fails unless the folders have so many mails, and others none.
func (m *mailbox) holds(want map[string]int) {
	m.t.Helper()
	got := map[string]int{}
	for name, mails := range m.folders {
		if len(mails) > 0 {
			got[name] = len(mails)
		}
	}
	if !maps.Equal(got, want) {
		m.t.Errorf("the folders have %v, want %v", got, want)
	}
}

func (m *mailbox) serve(c net.Conn) {
	defer func() { _ = c.Close() }()
	say(c, "* OK [CAPABILITY IMAP4rev1] ready")
	for lines := bufio.NewScanner(c); lines.Scan(); {
		tag, command, _ := strings.Cut(lines.Text(), " ")
		if !m.answer(c, strings.Fields(command)) {
			say(c, tag+" BAD unknown")
			m.t.Errorf("the recipe says %q", command)
			return
		}
		say(c, tag+" OK done")
		if command == "LOGOUT" {
			return
		}
	}
}

func say(w io.Writer, line string) {
	_, _ = io.WriteString(w, line+"\r\n") // the client may be gone
}

// answer does what a command says, and reports whether it is known.
func (m *mailbox) answer(w io.Writer, command []string) bool {
	switch strings.Join(command[:min(2, len(command))], " ") {
	case "CAPABILITY":
		say(w, "* CAPABILITY IMAP4rev1")
	case `LOGIN joe`, "LOGOUT":
	case "CLOSE":
		m.folders[m.folder] = slices.DeleteFunc(m.folders[m.folder], func(x *message) bool { return x.flags[`\Deleted`] })
	case "UID SEARCH":
		m.search(w, command[3])
	case "UID FETCH", "UID STORE", "UID COPY":
		return m.change(w, command[1], command[2:])
	default:
		if command[0] != "SELECT" {
			return false
		}
		m.folder = strings.Trim(command[1], `"`)
		say(w, fmt.Sprintf("* %d EXISTS", len(m.folders[m.folder])))
	}
	return true
}

// search lists the mails without a keyword.
func (m *mailbox) search(w io.Writer, keyword string) {
	found := "* SEARCH"
	for _, x := range m.folders[m.folder] {
		if !x.flags[keyword] {
			found += " " + strconv.Itoa(x.uid)
		}
	}
	say(w, found)
}

// change does what is done with one mail.
func (m *mailbox) change(w io.Writer, verb string, args []string) bool {
	at := slices.IndexFunc(m.folders[m.folder], func(x *message) bool { return strconv.Itoa(x.uid) == args[0] })
	if at < 0 {
		return false
	}
	x := m.folders[m.folder][at]
	switch verb {
	case "FETCH":
		m.fetched++
		say(w, fmt.Sprintf("* %d FETCH (UID %d BODY[] {%d}\r\n%s)", at+1, x.uid, len(x.text), x.text))
	case "STORE":
		x.flags[strings.Trim(args[2], "()")] = true
	case "COPY":
		m.last++
		target := strings.Trim(args[1], `"`)
		m.folders[target] = append(m.folders[target], &message{m.last, x.text, maps.Clone(x.flags)})
	}
	return true
}
