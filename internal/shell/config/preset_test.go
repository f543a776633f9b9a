package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"
)

// The flag takes every preset that there is, and is the spec that it names.
func TestPresetFlag(t *testing.T) {
	field, _ := reflect.TypeFor[PresetFlag]().FieldByName("Preset")
	var names []string
	for _, p := range spec.Presets {
		names = append(names, p.Name)
		text, err := PresetFlag{p.Name}.SpecText("")
		if err != nil || string(text) != p.YAML("") {
			t.Errorf("%s is %q, %v", p.Name, text, err)
		}
	}
	if got := strings.Split(strings.TrimSuffix(field.Tag.Get("enum"), ","), ","); !slices.Equal(got, names) {
		t.Errorf("the flag takes %q, and the presets are %q", got, names)
	}
	file := write(t, "text: {ngrams: 3}\n")
	if text, err := (PresetFlag{}).SpecText(file); err != nil || string(text) != "text: {ngrams: 3}\n" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if text, err := (PresetFlag{}).SpecText(""); err != nil || text != nil {
		t.Errorf("neither is %q, %v", text, err)
	}
	if _, err := (PresetFlag{"sms"}).SpecText(file); err == nil || !strings.HasPrefix(err.Error(), "--preset is a spec, and --spec names another one") {
		t.Errorf("both are %v", err)
	}
}

// Ingest takes a preset from each layer, and not beside a spec.
func TestPresetOfIngest(t *testing.T) {
	file := write(t, "preset: topics\n")
	for name, c := range map[string]struct {
		args []string
		env  environment
		want string
	}{
		"command line": {[]string{"--preset=sms"}, nil, "sms"},
		"environment":  {nil, environment{"BAYESTREAM_PRESET": "reviews"}, "reviews"},
		"file":         {[]string{"--config=" + file}, nil, "topics"},
		"none":         {nil, nil, ""},
	} {
		got, err := Parse[Ingest]("ingest", c.args, c.env.lookup)
		if err != nil || got.Preset != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got.Preset, err, c.want)
		}
	}
	_, err := Parse[Ingest]("ingest", []string{"--preset=topics", "--spec=" + file}, environment{}.lookup)
	if found := problems(t, err); !slices.ContainsFunc(found, func(s string) bool { return strings.HasPrefix(s, "--preset is a spec, and --spec names another one") }) {
		t.Errorf("it says %q", found)
	}
	_, err = Parse[Ingest]("ingest", []string{"--preset=tweets"}, environment{}.lookup)
	if found := problems(t, err); len(found) != 1 || found[0] != `--preset: "tweets" is not valid: want comments, mail, reviews, sms or topics` {
		t.Errorf("it says %q", found)
	}
}
