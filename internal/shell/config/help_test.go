package config

import (
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
)

func page[T Ingest | Classify](t *testing.T, program string, args ...string) string {
	t.Helper()
	_, err := Parse[T](program, args, environment{}.lookup)
	return answered(t, err)
}

func TestHelpPages(t *testing.T) {
	golden(t, "testdata/ingest.txt", page[Ingest](t, "ingest", "--help"))
	golden(t, "testdata/classify.txt", page[Classify](t, "classify", "-h"))
}

func TestHelpIsGivenWhateverElseIsWrong(t *testing.T) {
	for _, args := range [][]string{{"--help", "--bogus"}, {"--drain=x", "--help"}, {"--tls", "-h", "x"}} {
		if got := page[Ingest](t, "bayestream ingest", args...); !strings.HasPrefix(got, "Usage: bayestream ingest [flags]\n") {
			t.Errorf("%q: the page begins with %.60q", args, got)
		}
	}
}

func TestVersionNamesTheProgram(t *testing.T) {
	got := page[Classify](t, "classify", "--version")
	if !strings.HasPrefix(got, "classify ") || !strings.Contains(got, "tokenizer revision") || strings.Count(got, "\n") != 1 {
		t.Errorf("got %q", got)
	}
}

func TestHelpTextsAreComplete(t *testing.T) {
	for _, worker := range []any{&Ingest{}, &Classify{}} {
		command := workerCommand(worker, "PROGRAM")
		for _, flag := range command.grammar(worker).app.Model.Flags {
			if !strings.HasSuffix(flag.Help, ".") {
				t.Errorf("%T: the help of --%s is no sentence: %q", worker, flag.Name, flag.Help)
			}
			if flag.Group == nil && !flag.Hidden {
				t.Errorf("%T: --%s has no group", worker, flag.Name)
			}
			if !flag.IsBool() && flag.PlaceHolder == "" {
				t.Errorf("%T: --%s does not say what its value is", worker, flag.Name)
			}
			for _, value := range flag.EnumSlice() {
				if !strings.Contains(flag.Help, value) {
					t.Errorf("%T: the help of --%s does not name %s", worker, flag.Name, value)
				}
			}
		}
	}
}

func TestExamplesCanBeTyped(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, file := range []string{"sms.yaml", "ingest.yaml", "classify.yaml"} {
		writeHere(t, file)
	}
	for _, worker := range []any{&Ingest{}, &Classify{}} {
		command := workerCommand(worker, "PROGRAM")
		for _, example := range command.Examples {
			env, args := environment{"BAYESTREAM_CLUSTERS": write(t, "production: {tls: true}\n")}, strings.Fields(example.Type)
			for args[0] != "PROGRAM" {
				name, value, _ := strings.Cut(args[0], "=")
				env[name], args = value, args[1:]
			}
			if err := command.Parse(worker, args[1:], env.lookup); err != nil {
				t.Errorf("%s: %v", example.Type, err)
			}
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"one", "  one\n"},
		{"one two three four", "  one two\n  three four\n"},
		{"1234567890 1", "  1234567890\n  1\n"},
		{"unbreakable-and-long x", "  unbreakable-and-long\n  x\n"},
	} {
		if got := Wrap(test.text, "  ", 12); got != test.want {
			t.Errorf("%q: got %q, want %q", test.text, got, test.want)
		}
	}
}

// verbStruct is what a verb of the toolbox may look like.
type verbStruct struct {
	Files []string           `arg:"" optional:"" type:"existingfile" help:"Files to read."`
	Alpha float64            `default:"1" placeholder:"A" help:"Smoothing."`
	Beta  *float64           `placeholder:"B" help:"Smoothing, or none."`
	Prior map[string]float64 `placeholder:"CLASS=SHARE" help:"Prior."`
	Model string             `required:"" placeholder:"M.db" help:"Model."`
	Top   uint               `default:"10" placeholder:"N" help:"How many."`
	Kind  string             `default:"a" enum:"a,b" placeholder:"KIND" help:"a or b."`
	Event string             `default:"" enum:"a,b," placeholder:"EVENT" help:"a or b or what the model says."`
	JSON  bool               `name:"json" help:"JSON."`
}

func TestVerbsReadTheCommandLineOnly(t *testing.T) {
	t.Setenv("BAYESTREAM_ALPHA", "5")
	command := Command{Name: "bayestream try", About: "Tries."}
	file := write(t, "")
	var v verbStruct
	if err := command.Parse(&v, []string{"--json", "--model=m", file, file, "-"}, os.LookupEnv); err != nil {
		t.Fatal(err)
	}
	if v.Alpha != 1 || !v.JSON || len(v.Files) != 3 || v.Files[1] != file || v.Files[2] != "-" {
		t.Errorf("got %+v", v)
	}
	for want, args := range map[string]string{
		`--alpha: "x" is not a number`:                              "--alpha=x",
		`--beta: "x" is not a number`:                               "--beta=x",
		`--prior: "a" is not a name with a number, like spam=0.2`:   "--prior=a",
		`--prior: "a=x" is not a name with a number, like spam=0.2`: "--prior=a=x",
		`--top: "-1" is not a whole number of at least 0`:           "--top=-1",
		`--kind: "c" is not valid: want a or b`:                     "--kind=c",
		`--event: "c" is not valid: want a or b`:                    "--event=c",
		`[<files> ...]: /no/such/file does not exist`:               "/no/such/file",
		`unknown flag --config`:                                     "--config=x",
	} {
		if got := problems(t, command.Parse(new(verbStruct), []string{"--model=m", args}, nil)); len(got) != 1 || got[0] != want {
			t.Errorf("%s:\ngot  %q\nwant %q", args, got, want)
		}
	}
	if got, want := problems(t, command.Parse(new(verbStruct), []string{"--model="}, nil)), "--model: the value is missing: write --model=M.db"; len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := problems(t, command.Parse(new(verbStruct), []string{"--model=m", "--alpha=x", "/no/such/file", "--top=y"}, nil)); len(got) != 3 {
		t.Errorf("want three problems, got %q", got)
	}
}

func TestHelpOfAVerb(t *testing.T) {
	command := Command{Name: "bayestream try", About: "Tries something.", Examples: []Example{{"Once", "bayestream try x"}, {"Why?", "bayestream try y"}}}
	golden(t, "testdata/verb.txt", answered(t, command.Parse(new(verbStruct), []string{"--help"}, nil)))
}

func TestAWrongTagPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a struct that kong refuses went through")
		}
	}()
	var twice struct {
		A string `name:"x"`
		B string `name:"x"`
	}
	_ = Command{Name: "x"}.Parse(&twice, nil, nil)
}

// A verb shows files as they were typed; a worker, whose log is read elsewhere, with their folders.
func TestPathsOfVerbsStayAsTyped(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("spec.yaml", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var v struct {
		Spec string `type:"existingfile"`
		Out  string `type:"path"`
	}
	if err := (Command{Name: "bayestream try"}).Parse(&v, []string{"--spec=spec.yaml", "--out=folder/m.db"}, nil); err != nil {
		t.Fatal(err)
	}
	if v.Spec != "spec.yaml" || v.Out != "folder/m.db" {
		t.Errorf("got %+v, want the names that were typed", v)
	}
	if err := (Command{Name: "bayestream try"}).Parse(&v, []string{"--out=~/m.db"}, nil); err != nil {
		t.Fatal(err)
	}
	if home, err := user.Current(); err == nil && v.Out != filepath.Join(home.HomeDir, "m.db") {
		t.Errorf("got %s, want it in %s", v.Out, home.HomeDir)
	}
	c, err := Parse[Ingest]("ingest", []string{"--state=m.db"}, environment{}.lookup)
	if err != nil || !filepath.IsAbs(c.State) {
		t.Errorf("a worker's file is %q, %v; want its whole path", c.State, err)
	}
}
