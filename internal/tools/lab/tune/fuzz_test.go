package tune

import (
	"errors"
	"path/filepath"
	"testing"

	"bayestream/internal/shell/wire"
	"bayestream/internal/testing/alloctest"
	"bayestream/internal/testing/filetest"
)

// Any file is a log of tune, or an error that names the line.
func FuzzOpenLog(f *testing.F) {
	f.Add([]byte(`{"documents":"d","scoring":"s","point":[{"path":"prior","value":"uniform"}],"accuracy":0.5}` + "\n" + `{"documents":"cut`))
	f.Add([]byte("{}\n"))
	path := filepath.Join(f.TempDir(), "log")
	f.Fuzz(func(t *testing.T, text []byte) {
		alloctest.Bound(t, len(text), func() {
			filetest.Write(t, path, text)
			l, err := OpenLog(path)
			if line := (*wire.LineError)(nil); err != nil {
				if !errors.As(err, &line) {
					t.Fatal(err)
				}
				return
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		})
	})
}

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
