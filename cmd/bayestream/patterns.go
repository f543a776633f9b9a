package main

import (
	"fmt"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/profile"
)

// specFor returns the spec of a file, or the default for "", with the shortcuts applied, and
// patterns expanded.
func (f *shortFlags) specFor(file string, files []string) (*spec.Spec, error) {
	s, err := f.spec(file)
	if err != nil {
		return nil, err
	}
	return s, expand(s, file, files)
}

// expand expands the patterns among the fields of a spec, which is in a file, by the first of
// the files with the records.
func expand(s *spec.Spec, file string, files []string) error {
	if len(s.Patterns()) == 0 {
		return nil
	}
	patterns := strings.Join(s.Patterns(), ", ")
	if len(files) == 0 || !dataset.OpensAgain(files[0]) {
		return cli.WrongInput(fmt.Errorf("%s: %s stands for the fields of a file, and standard input or a pipe cannot be "+
			"looked at first: name the fields, as bayestream init writes them", file, patterns))
	}
	seen := &profile.Profile{}
	look := initFlags{Source: files[0], Records: defaultRecords}
	if _, err := look.lookAtFile(cli.Process{}, seen); err != nil {
		return inputError(fmt.Errorf("%s: look for the fields of %s: %w", file, patterns, err))
	}
	if err := s.Expand(seen.NumberFields()); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w (%s)", file, err, files[0]))
	}
	return nil
}
