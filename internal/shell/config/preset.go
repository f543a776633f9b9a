package config

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"bayestream/internal/core/spec"
)

// PresetFlag names a preset, where a spec may be named.
type PresetFlag struct {
	Preset string `enum:"comments,mail,reviews,sms,topics," default:"" placeholder:"NAME" help:"Count the words as is best for a kind of text: comments, mail, reviews, sms (messages) or topics (news, articles, tickets). It is a spec, and takes the place of --spec."`
}

var errTwoSpecs = errors.New("--preset is a spec, and --spec names another one: want one of them; bayestream init " +
	"--preset writes a file to edit")

// check returns an error if a file with a spec is named beside the preset.
func (p PresetFlag) check(file string) error {
	if p.Preset != "" && file != "" {
		return errTwoSpecs
	}
	return nil
}

// SpecText returns the YAML of the spec in a file, or that of the preset; nil if neither is named.
func (p PresetFlag) SpecText(file string) ([]byte, error) {
	switch err := p.check(file); {
	case err != nil:
		return nil, err
	case p.Preset != "":
		preset, err := spec.FindPreset(p.Preset)
		if err != nil {
			return nil, err
		}
		return []byte(preset.YAML("")), nil
	case file == "":
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the spec: %w", err)
	}
	return text, nil
}

// SpecName returns what an error calls the spec: the file, or the flag.
func (p PresetFlag) SpecName(file string) string {
	if p.Preset != "" {
		return "--preset=" + p.Preset
	}
	return cmp.Or(file, "the default spec")
}
