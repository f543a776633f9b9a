package wire

import (
	"strconv"

	"bayestream/internal/core/model"
)

// appendSpans appends where a term is in the segments, if that was asked for.
func appendSpans(dst []byte, spans []model.Span) []byte {
	for i, s := range spans {
		if i == 0 {
			dst = append(dst, `,"spans":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, `{"segment":`...), int64(s.Segment), 10)
		dst = strconv.AppendInt(append(dst, `,"start":`...), int64(s.Start), 10)
		dst = strconv.AppendInt(append(dst, `,"end":`...), int64(s.End), 10)
		dst = append(dst, '}')
	}
	if len(spans) > 0 {
		dst = append(dst, ']')
	}
	return dst
}

// appendSegments appends the text as it was read, if that was asked for.
func appendSegments(dst []byte, segments []model.Segment) []byte {
	if segments == nil {
		return dst
	}
	dst = append(dst, `,"segments":[`...)
	for i, s := range segments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(append(dst, `{"mark":`...), s.Mark)
		dst = append(appendString(append(dst, `,"text":`...), view(s.Text)), '}')
	}
	return append(dst, ']')
}
