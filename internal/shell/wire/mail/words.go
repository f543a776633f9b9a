package mail

import (
	"bytes"
	"strings"
)

// Bounds of an encoded word. RFC 2047 allows 75 bytes, and real mails have some thousands.
const (
	maxWordBytes    = 8192
	maxCharsetBytes = 80
)

// An encodedWord is one of RFC 2047, with those behind it that are pieces of the same text.
type encodedWord struct {
	charset string
	base64  bool
	text    []byte // of base64 what is not decoded yet
	decoded []byte
}

// decodeWords returns a header field in UTF-8, with its encoded words decoded. Blanks between two
// of them are no part of the text.
func decodeWords(field []byte) []byte {
	field, _ = toUTF8(field, "")
	if !bytes.Contains(field, []byte("=?")) {
		return field
	}
	var out []byte
	var pending *encodedWord
	begin := 0 // of what is not in out
	for at := 0; ; {
		i := bytes.Index(field[at:], []byte("=?"))
		if i < 0 {
			break
		}
		at += i
		w, size := encodedWordAt(field[at:])
		if w == nil {
			at += len("=?")
			continue
		}
		gap := field[begin:at]
		if pending == nil || !isBlank(gap) {
			out = append(pending.appendTo(out), gap...)
			pending = w
		} else if !pending.join(w) {
			out = pending.appendTo(out)
			pending = w
		}
		at += size
		begin = at
	}
	return append(pending.appendTo(out), field[begin:]...)
}

// encodedWordAt reads the encoded word that text begins with, and returns its size.
func encodedWordAt(text []byte) (w *encodedWord, size int) {
	head := text[len("=?"):min(len(text), maxCharsetBytes)]
	charset, rest, ok := bytes.Cut(head, []byte("?"))
	if !ok || len(rest) < 2 || rest[1] != '?' || bytes.ContainsAny(bytes.TrimSpace(charset), " \t\r\n=") {
		return nil, 0
	}
	name, _, _ := strings.Cut(string(bytes.TrimSpace(charset)), "*") // a language (RFC 2231, 5)
	w = &encodedWord{charset: name, base64: rest[0]|0x20 == 'b'}
	if !w.base64 && rest[0]|0x20 != 'q' {
		return nil, 0
	}
	begin := len("=?") + len(charset) + len("?q?")
	end, size := wordEnd(text, begin)
	w.text = text[begin:end]
	if !w.base64 {
		w.decoded = appendQuoted(nil, w.text, true)
		w.text = nil
	}
	return w, size
}

// wordEnd returns where the text of an encoded word that begins at begin ends, and where the word
// does. One that is not closed ends at a blank.
func wordEnd(text []byte, begin int) (end, size int) {
	within := text[begin:min(len(text), begin+maxWordBytes)]
	i := bytes.Index(within, []byte("?="))
	if i >= 0 && (!bytes.ContainsAny(within[:i], " \t\r\n") || !bytes.Contains(within[:i], []byte("=?"))) {
		return begin + i, begin + i + len("?=")
	}
	i = bytes.IndexAny(within, " \t\r\n")
	if i < 0 {
		i = len(within)
	}
	return begin + len(bytes.TrimRight(within[:i], "?")), begin + i
}

// join appends a word to the one before it, if both are pieces of one text: characters, and groups
// of base64, are cut anywhere.
func (w *encodedWord) join(next *encodedWord) bool {
	if !strings.EqualFold(w.charset, next.charset) {
		return false
	}
	if w.base64 && next.base64 && len(w.text)%4 != 0 && !bytes.HasSuffix(w.text, []byte("=")) {
		w.text = append(w.text[:len(w.text):len(w.text)], next.text...)
		return true
	}
	w.decode()
	w.decoded = append(w.decoded, next.decoded...)
	w.base64, w.text = next.base64, next.text
	return true
}

func (w *encodedWord) decode() {
	w.decoded = appendBase64(w.decoded, w.text)
	w.text = nil
}

// appendTo appends the text of a word, nil: of none.
func (w *encodedWord) appendTo(dst []byte) []byte {
	if w == nil {
		return dst
	}
	w.decode()
	text, _ := toUTF8(w.decoded, w.charset)
	return append(dst, text...)
}
