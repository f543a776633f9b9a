package completion_test

import (
	"strings"
	"testing"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli/completion"
)

// What a help text says may hold whatever a shell reads as its own.
func program() completion.Program {
	return completion.Program{Name: "prog", Verbs: []completion.Verb{{
		Name: "go", Summary: "Don't [stop]: go. And more.",
		Outline: config.Outline{
			Flags: []config.Parameter{
				{Name: "far", Short: "f", Help: `It's a [way]: $HOME \ "x". More.`, Switch: true},
				{Name: "how", Values: []string{"on-foot", "by-car"}},
				{Name: "map", Files: true, Repeated: true},
				{Name: "to"},
			},
			Args: []config.Parameter{{Name: "place", Files: true, Repeated: true}},
		},
	}}}
}

func TestScriptsQuote(t *testing.T) {
	for shell, want := range map[string][]string{
		"bash": {"'go --how') words='on-foot by-car' ;;", "'go --map') files=1 ;;", "'go --to') return ;;", "words='--far --how= --map= --to='"},
		"zsh":  {`'go:Don'\''t [stop]: go'`, `'--far[It'\''s a \[way\]\: $HOME \\ "x"]'`, "'--how=[]:how:(on-foot by-car)'", "'*--map=[]:map:_files'", "'*:place:_files'"},
		"fish": {`-l far -s f -d 'It\'s a [way]: $HOME \\ "x"'`, "-l how -x -a 'on-foot by-car'", "-l map -r -F", "-l to -x", `-a go -d 'Don\'t [stop]: go'`},
	} {
		script := completion.Script(shell, program())
		for _, line := range want {
			if !strings.Contains(script, line) {
				t.Errorf("%s: the script lacks %s:\n%s", shell, line, script)
			}
		}
	}
}
