package mail

import (
	"strings"
	"testing"

	"bayestream/internal/testing/alloctest"
)

func TestTransferEncodings(t *testing.T) {
	const coded = "ZnJlZSBwcml6ZSBpbnNpZGUgdGhlIGJveA=="
	const decoded = "free prize inside the box"
	for _, c := range []struct{ encoding, body, want string }{
		{"base64", coded, decoded},
		{"Base64", coded, decoded},
		{"base64;", coded, decoded},
		{"base64, 8bit", coded, decoded},
		{"base64.", coded, decoded},
		{`"base64"`, coded, decoded},
		{"base64 (as ever)", coded, decoded},
		{"(comment) base64", coded, decoded},
		{"base64", strings.TrimRight(coded, "="), decoded},
		{"base64", coded + "====", decoded},
		{"base64", "ZnJlZQ==\nIHByaXpl", "free prize"},
		{"base64", "ZnJl\r\n ZSBw\r\n\r\ncml6\tZQ==", "free prize"},
		{"base64", "ZnJl!ZSBwcml6ZQ", "free prize"},
		{"base64", coded + "\n\n-- \nSend mails to the list, please.\n", decoded + "\n-- \nSend mails to the list, please.\n"},
		{"base64", "This was never encoded, and is read.", "This was never encoded, and is read."},
		{"base64", "Some words before it.\n\n" + coded + coded, "Some words before it.\n" + decoded + decoded + "\n"},
		{"7bit;", "a=20b", "a=20b"},
		{"x-unknown", "a=20b", "a=20b"},
		{"", "a=20b", "a=20b"},
		{"quoted-printable", "caf=C3=A9", "café"},
		{"Quoted-Printable;", "caf=c3=a9", "café"},
		{"quoted-printable, 8bit", "caf=C3=A9", "café"},
		{"quoted-printable", "pri=\nze", "prize"},
		{"quoted-printable", "pri=\r\nze", "prize"},
		{"quoted-printable", "pri=\r\r\nze", "prize"},
		{"quoted-printable", "pri= \nze win=\t \r\nner", "prize winner"},
		{"quoted-printable", "prize=", "prize"},
		{"quoted-printable", "a=ZZ 1=2 x==3D", "a=ZZ 1=2 x=="},
		{"quoted-printable", "a_b", "a_b"},
		{"x-uuencode", "begin 644 a.txt\n*9G)E92!P<FEZ90  \n`\nend\nmore", "free prize"},
	} {
		mail := "Subject: x\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: " + c.encoding + "\n\n" + c.body
		if got := body(read(t, []byte(mail))); got != c.want {
			t.Errorf("%s: %q: got %q, want %q", c.encoding, c.body, got, c.want)
		}
	}
}

func TestFlowed(t *testing.T) {
	for _, c := range []struct{ parameters, body, want string }{
		{"format=flowed; delsp=yes", "pri \nze\nnext", "prize\nnext"},
		{"FORMAT=Flowed; DelSp=YES", "pri \r\nze", "prize"},
		{"format=flowed; delsp=yes", "> pri \n> ze\n>> other", "prize\nother"},
		{"format=flowed; delsp=yes", " From here \n on", "From hereon"},
		{"format=flowed; delsp=yes", "end\n-- \nme", "end\n-- \nme"},
		{"format=flowed", "two \nwords", "two \nwords"},
		{"delsp=yes", "two \nwords", "two \nwords"},
	} {
		mail := "Subject: x\nContent-Type: text/plain; " + c.parameters + "\n\n" + c.body
		if got := body(read(t, []byte(mail))); got != c.want {
			t.Errorf("%s: %q: got %q, want %q", c.parameters, c.body, got, c.want)
		}
	}
}

func FuzzTransfer(f *testing.F) {
	f.Add([]byte("base64"), []byte("ZnJlZQ==\nwords of a footer\nIHByaXpl"))
	f.Add([]byte("quoted-printable"), []byte("a=\n= \n=C3=A9=Z"))
	f.Add([]byte("uuencode"), []byte("begin 644 x\n#0V%T\n`\nend"))
	f.Fuzz(func(t *testing.T, encoding, text []byte) {
		alloctest.Bound(t, len(text)+len(encoding), func() {
			if got, _ := decodeTransfer(text, encoding); len(got) > 2*len(text)+8 {
				t.Errorf("%d bytes become %d", len(text), len(got))
			}
			unflow(text)
		})
	})
}
