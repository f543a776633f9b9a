package mail

import "bytes"

// unflow joins the lines of a text that was wrapped inside of words: format=flowed with delsp=yes
// (RFC 3676), where the blank at the end of a line says that the next one goes on. Without delsp
// the words are the same as they stand.
func unflow(text []byte) []byte {
	out := make([]byte, 0, len(text))
	depth := 0
	flows := false
	for rest := text; len(rest) > 0; {
		var line []byte
		line, rest = cutLine(rest)
		content := bytes.TrimLeft(line, ">")
		if now := len(line) - len(content); !flows || now != depth {
			out = appendBreak(out)
			depth = now
		}
		content = bytes.TrimPrefix(content, []byte(" ")) // stuffed
		flows = bytes.HasSuffix(content, []byte(" ")) && string(content) != "-- "
		if flows {
			content = content[:len(content)-1]
		}
		out = append(out, content...)
	}
	return out
}

func appendBreak(text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	return append(text, '\n')
}
