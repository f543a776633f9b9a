package mail

import (
	"testing"
	"unicode/utf8"

	"bayestream/internal/testing/alloctest"
)

func TestEncodedWords(t *testing.T) {
	for _, c := range []struct{ field, want string }{
		{"plain", "plain"},
		{"=?utf-8?Q?caf=C3=A9?=", "café"},
		{"=?UTF-8?q?caf=c3=a9?=", "café"},
		{"=?utf-8?B?Y2Fmw6k=?=", "café"},
		{"=?utf-8?b?Y2Fmw6k?=", "café"},                              // no padding
		{"=?utf-8?b?Y2Fmw6k==?=", "café"},                            // too much
		{"=?utf-8?b?Y2Fm w6k=?=", "café"},                            // a blank inside
		{"=?utf-8?b?ZnJlZQ==IHByaXpl?=", "free prize"},               // padding between two pieces
		{"=?utf-8?Q?100%_free=ZZ?=", "100% free=ZZ"},                 // no escape
		{"=?utf-8?Q?a=?=", "a="},                                     // half an escape
		{"=?utf-8?Q?a_b?= =?utf-8?Q?_c?=", "a b c"},                  // blanks between words go
		{"=?utf-8?Q?a?==?utf-8?Q?b?=", "ab"},                         // none between them
		{"=?utf-8?Q?a?= and =?utf-8?Q?b?=", "a and b"},               // text between them stays
		{"=?utf-8?Q?=C3?= =?utf-8?Q?=A9?=", "é"},                     // cut inside of a character
		{"=?utf-8?B?5Lit5?= =?utf-8?B?paH?=", "中文"},                  // cut inside of a group
		{"=?utf-8?B?5Lit?= =?utf-8?Q?=E6=96=87?=", "中文"},             // of both encodings
		{"=?iso-8859-1?Q?=E9?= =?utf-8?Q?=C3=A9?=", "éé"},            // of two sets
		{"=?utf-8*en?Q?free_prize?=", "free prize"},                  // a language (RFC 2231, 5)
		{"=?UTF-8*de-AT?B?ZnJlZQ?=", "free"},                         // likewise
		{"=?x-unknown?Q?free_prize?=", "free prize"},                 // a set that nobody knows
		{"=?x-unknown?Q?caf=C3=A9?=", "café"},                        // likewise, valid UTF-8
		{"=?cp850?Q?caf=82?=", "café"},                               // a page of DOS
		{"=?ibm437?Q?caf=82?=", "café"},                              //
		{"=?utf-7?Q?+AOk-t+AOk-?=", "été"},                           //
		{"=?iso-2022-jp-ms?B?GyRCTDVOQRsoQg==?=", "無料"},              //
		{"=?ks_c_5601-1987?B?uau34Q==?=", "무료"},                      //
		{"=?us-ascii?Q?caf=E9?=", "café"},                            // 8-bit in a set of seven
		{"=?utf-8?Q?caf=E9?=", "café"},                               // impossible: as it is likeliest meant
		{"=?utf-8?X?abc?=", "=?utf-8?X?abc?="},                       // no such encoding
		{"=?utf-8?Q??=", ""},                                         // empty
		{"a =?utf-8?Q??= b", "a  b"},                                 //
		{"=?utf-8?B?Y2Fmw6k=", "café"},                               // not closed
		{"=?utf-8?Q?caf=C3=A9? <a@b.example>", "café <a@b.example>"}, // half closed
		{"=?utf-8?Q?one =?utf-8?Q?two?=", "onetwo"},                  // not closed, then another
		{"\"=?utf-8?Q?caf=C3=A9?=\" <a@b.example>", "\"café\" <a@b.example>"},
		{"=?utf-8?Q?a(b)[c]?=", "a(b)[c]"},
		{"=?=?utf-8?Q?a?=", "=?a"},
		{"=? utf-8 ?Q?a?=", "a"},
		{"=?", "=?"},
		{"caf\xe9", "café"},
		{"caf\xe9 =?utf-8?Q?=C3=A9?=", "café é"},
	} {
		if got := string(decodeWords([]byte(c.field))); got != c.want {
			t.Errorf("%q: got %q, want %q", c.field, got, c.want)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"=?utf-8?Q?a=C3?= =?utf-8?b?5Lit5?= x", "=?=?=?q?b?", "=?utf-7?q?+AOk-?=", "\xe9=?"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, field []byte) {
		var got []byte
		alloctest.Bound(t, len(field), func() { got = decodeWords(field) })
		if !utf8.Valid(got) {
			t.Errorf("%q becomes %q", field, got)
		}
	})
}
