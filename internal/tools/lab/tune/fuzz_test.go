package tune

import (
	"testing"

	"bayestream/internal/testing/alloctest"
)

// Any axis of a grid is read, or refused.
func FuzzParseAxis(f *testing.F) {
	for _, s := range []string{"text.alpha=0.01,0.1,1", "numbers[0].shrinkage=0,[a,b],oas", "prior={a: 1}", "a=&a [*a]", "=", "text[99999999999].x=1"} {
		f.Add(s, "text: {}\n")
	}
	f.Fuzz(func(t *testing.T, s, text string) {
		alloctest.Bound(t, len(s)+len(text), func() {
			a, err := ParseAxis(s)
			if err != nil {
				return
			}
			if _, err := apply([]byte(text), []Setting{{a.Path, a.Values[0]}}); err != nil {
				return
			}
		})
	})
}
