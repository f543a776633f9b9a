package jsonread

import "bytes"

// AppendWith appends a valid object to dst in which the member of a name has a value, which is the
// last member, and nil takes it out. All other bytes stay as they are, except a comma beside a
// member of that name which was there before. key is the name as a JSON string. The Reader is left
// anywhere.
func (r *Reader) AppendWith(dst, object []byte, name string, key []byte, value Value) []byte {
	from := 0 // what is before it is in dst
	kept := 0 // members
	for r.Reset(object); r.Next(); {
		start, end := r.At()
		if string(r.Name()) != name {
			kept++
			continue
		}
		if kept == 0 {
			end = behindComma(object, end)
		} else {
			start = beforeComma(object, start)
		}
		dst = append(dst, object[from:start]...)
		from = end
	}
	brace := bytes.LastIndexByte(object, '}')
	dst = append(dst, object[from:brace]...)
	if value != nil {
		if kept > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, key...), ':')
		dst = append(dst, value...)
	}
	return append(dst, object[brace:]...)
}

// behindComma returns the offset behind the comma that follows a member of an object, or the offset
// itself behind the last.
func behindComma(object []byte, at int) int {
	rest := bytes.TrimLeft(object[at:], space)
	if rest[0] == ',' {
		return len(object) - len(rest) + 1
	}
	return at
}

// beforeComma returns the offset of the comma before a member of an object.
func beforeComma(object []byte, at int) int { return len(bytes.TrimRight(object[:at], space)) - 1 }

// space is the white space of JSON.
const space = " \t\r\n"
