package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/lab/dataset"
	"bayestream/internal/tools/lab/profile"
)

type initFlags struct {
	Records  int              `default:"20000" placeholder:"N" help:"How many records to look at."`
	Encoding dataset.Encoding `placeholder:"NAME" help:"Encoding of the file, such as utf-16 or windows-1252 (or latin-1). Default: utf-8."`
	Source   string           `arg:"" optional:"" complete:"file" name:"source" help:"A file of JSON Lines or a JSON array, or a table whose first row names the columns, gzip or not; - for standard input; with --brokers: a topic of JSON records."`

	fieldFlags        `embed:""`
	config.PresetFlag `embed:""`
	clusterFlags      `embed:""`
}

// defaultRecords is how many records are looked at, as the flag says too: so many that a file which
// is sorted by its label shows all labels.
const defaultRecords = 20000

var initVerb = verbOf[initFlags](config.Command{
	Name:    "init",
	Summary: "Look at records and write a spec to start from.",
	Offline: true,
	About: "Looks at the first records of a file, or at the newest of a topic, and writes a spec for them to " +
		"standard output: which field is text, which are numbers and categories. Comments say which field could be " +
		"the label and which the id, and which flags the other verbs need then. It is a guess, to be edited. With " +
		"--preset the words are counted as that preset does; else, of a labelled file, as the default or the preset " +
		"that is best on a sample. Without a source --preset writes the preset itself.",
	Examples: []config.Example{
		{What: "A table", Type: "bayestream init tickets.csv > tickets.yaml"},
		{What: "Then measure and learn", Type: "bayestream init cancer.csv > cancer.yaml && bayestream train " +
			"--model=cancer.db --spec=cancer.yaml cancer.csv"},
		{What: "A spec for mails", Type: "bayestream init --preset=mail > mail.yaml"},
		{What: "A table of tickets, with pairs of words", Type: "bayestream init --preset=topics tickets.csv > tickets.yaml"},
		{What: "What is in a topic", Type: "bayestream init --brokers=127.0.0.1:9092 documents"},
	},
}, cli.Watched)

func (f initFlags) Validate() error {
	found := f.Problems()
	found.If(f.Source == "" && (f.Preset == "" || f.Named), "want a file or a topic to look at, or --preset")
	found.If(f.Source != "" && f.Preset == "mail",
		"--preset=mail is for mails, which have no fields to look for: want no file and no topic with it")
	found.If(f.Encoding != "" && f.Named, "--encoding is for files: the records of a topic are UTF-8")
	found.If(f.Source == "" && f.fieldFlags != fieldFlags{},
		"--label-field, --text-field and --id-field name fields of a file or a topic: want one to look at")
	found.If(f.Records < 1, "--records: %d; want at least 1", f.Records)
	return errors.Join(found...)
}

func (f *initFlags) run(ctx context.Context, p cli.Process) error {
	var preset *spec.Preset
	var err error
	if f.Preset != "" {
		if preset, err = spec.FindPreset(f.Preset); err != nil {
			return cli.WrongInput(err)
		}
		if f.Source == "" {
			_, err = io.WriteString(p.Stdout, "# docs/toolbox.md explains every key.\n"+preset.YAML(""))
			return err
		}
	}
	stdin := keepStdin(p, true, []string{f.Source})
	p.Stdin = stdin()
	seen, format := &profile.Profile{Label: f.LabelField, Text: f.TextField, ID: f.IDField}, ""
	if f.Named {
		err = f.lookAtTopic(ctx, p, seen)
	} else {
		format, err = f.lookAtFile(p, seen)
	}
	if err != nil {
		return inputError(err)
	}
	if cell := seen.Headless(); cell != "" {
		return cli.WrongInput(fmt.Errorf("%s:1: the first row is a document, since %q is a value of its column too: "+
			"write a row with the names of the columns above it", f.Source, cell))
	}
	s := seen.Suggest()
	s.Flags = f.needed("", format)
	if err := cmp.Or(seen.Check(), s.Check()); err != nil {
		return cli.WrongInput(fmt.Errorf("%s: %w", f.Source, err))
	}
	if preset != nil && s.Text == "" {
		return cli.WrongInput(fmt.Errorf("%s has no field of text, which --preset=%s is for: leave it away", f.Source,
			f.Preset))
	}
	start, err := spec.Parse([]byte(s.YAML(f.Source, preset)))
	if err != nil {
		return cli.WrongInput(fmt.Errorf("%s: its fields make no spec: %w", f.Source, err))
	}
	if preset == nil && !f.Named && s.Label != "" {
		if preset, s.Counted, err = f.count(ctx, stdin, start, format); err != nil {
			return err
		}
	}
	_, err = io.WriteString(p.Stdout, s.YAML(f.Source, preset))
	return err
}

// count returns the preset that counts the records of a file best, nil for the default, and why.
func (f *initFlags) count(ctx context.Context, stdin func() io.Reader, start *spec.Spec, format string) (*spec.Preset,
	string, error) {
	data := &dataFlags{Encoding: f.Encoding, Format: format}
	c := &counter{spec: start, data: data, stdin: stdin, files: []string{f.Source}}
	found, err := c.choose(ctx)
	if err != nil || found == nil {
		return nil, "", inputError(err)
	}
	reason := found.Reason(c.ways)
	if found.Chosen == 0 {
		return nil, reason, nil
	}
	return c.ways[found.Chosen].Preset, reason, nil
}

// needed returns the flags without which the other verbs would read the file otherwise, behind some
// words; "": there are none.
func (f *initFlags) needed(words, format string) string {
	var flags []string
	if named := dataset.FormatByName(f.Source); format != "" && named != dataset.Auto && named != format {
		flags = append(flags, "--format="+format)
	}
	if f.Encoding != "" {
		flags = append(flags, "--encoding="+string(f.Encoding))
	}
	if len(flags) == 0 {
		return ""
	}
	return words + strings.Join(flags, " ")
}

// lookAtTopic reads the newest records of each partition.
func (f *initFlags) lookAtTopic(ctx context.Context, p cli.Process, seen *profile.Profile) error {
	client, err := f.dial(p)
	if err != nil {
		return err
	}
	defer client.Close()
	tail, err := client.TailFrom(ctx, f.Source, stream.TailStart{})
	if err != nil {
		return err
	}
	tail.Schemas = true
	share := int64(f.Records/len(tail.From) + 1)
	for i := range tail.From {
		tail.From[i] = max(tail.From[i], tail.Until[i]-share)
	}
	return client.EachOf(ctx, tail, func(rec *stream.Record) error {
		if rec.Value == nil {
			return nil
		}
		value, err := rec.Plain()
		if err == nil {
			err = seen.AddObject(value)
		}
		if err != nil {
			return cli.WrongInput(fmt.Errorf("%s/%d/%d: %w", rec.Topic, rec.Partition, rec.Offset, err))
		}
		return nil
	})
}

// lookAtFile reads the first records of a file, and returns its format.
func (f *initFlags) lookAtFile(p cli.Process, seen *profile.Profile) (format string, err error) {
	if err := f.isNoTable(); err != nil {
		return "", err
	}
	text, closer, err := dataset.OpenText(dataset.Options{Encoding: f.Encoding}, p.Stdin, f.Source)
	if err != nil {
		return "", err
	}
	defer func() { _ = closer.Close() }()
	const ahead = 4000 // a header is shorter
	start, err := text.Peek(ahead)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", wire.Unreadable(err)
	}
	first, _, _ := strings.Cut(strings.TrimLeft(string(start), " \r\n"), "\n")
	switch {
	case first == "" && len(start) < ahead:
		return "", cli.WrongInput(fmt.Errorf("%s is empty", f.Source))
	case strings.IndexAny(first, "{[") == 0:
		return dataset.JSONL, f.lookAtObjects(text, seen)
	}
	if dataset.IsLabelled(text) {
		return "", cli.WrongInput(fmt.Errorf("%s has a label, a tab and a text on each line, which are no fields to look "+
			"at: train and eval read it without a spec%s", f.Source, f.needed(" and with ", dataset.Labelled)))
	}
	return dataset.CSV, f.lookAtRows(text, seen)
}

// isNoTable returns an error for a source in which each file is a document.
func (f *initFlags) isNoTable() error {
	const instead = "which has no fields to look at: train and eval read it without a spec, and with --preset=%s words " +
		"are counted as is best for %s"
	if info, err := os.Stat(f.Source); err == nil && info.IsDir() {
		return cli.WrongInput(fmt.Errorf("%s is a folder, "+instead, f.Source, "topics",
			"news and articles; --preset=mail is for mails"))
	}
	switch dataset.FormatByName(f.Source) {
	case dataset.Mail, dataset.Mbox:
		return cli.WrongInput(fmt.Errorf("%s is mail, "+instead, f.Source, "mail", "mails"))
	}
	return nil
}

// lookAtObjects reads a JSON array, or objects one after the other.
func (f *initFlags) lookAtObjects(in *bufio.Reader, seen *profile.Profile) error {
	var bad error
	err := dataset.EachObject(f.Source, in, spec.Default().Limits.RecordBytes, func(line int64, object []byte) bool {
		if err := seen.AddObject(object); err != nil {
			bad = &wire.LineError{File: f.Source, Line: line, Err: err}
		}
		return bad == nil && seen.Records < f.Records
	})
	return inputError(cmp.Or(err, bad))
}

// lookAtRows reads a table as the other verbs do. A row that they skip is passed over, and counted.
func (f *initFlags) lookAtRows(in *bufio.Reader, seen *profile.Profile) error {
	table, err := dataset.NewTable(f.Source, in)
	if err != nil {
		return inputError(err)
	}
	header := table.Header
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
		if name := header[i]; name != "" && slices.Contains(header[:i], name) {
			return cli.WrongInput(fmt.Errorf("%s:1: two columns are called %q: give each a name of its own", f.Source, name))
		}
	}
	for seen.Records < f.Records {
		row, err := table.Row()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case dataset.IsReject(err):
			seen.AddBad(err)
			continue
		case err != nil:
			return inputError(err)
		}
		if err := dataset.CheckUTF8(strings.Join(row, "")); err != nil {
			return inputError(table.Error(err))
		}
		seen.AddRow(header, row)
	}
	return nil
}
