package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
	"bayestream/internal/tools/cli/completion"
)

// programFlags are the flags of the program itself, without a verb. It also has --help and
// --version.
type programFlags struct {
	Completion string `enum:"bash,zsh,fish," default:"" placeholder:"SHELL" help:"Write a script for bash (4 or later), zsh or fish, with which the tab key completes."`
	Man        string `type:"path" placeholder:"FOLDER" help:"Write a manual page for each verb into this folder."`
}

func runProgram(p cli.Process) error {
	first, _, _ := strings.Cut(p.Args[0], "=")
	var f programFlags
	switch first {
	case "-h", "--help":
		return config.Answer(firstPage())
	case "-v", "version":
		p.Args[0] = "--version"
	case "--version", "--completion", "--man":
	default:
		return &config.UsageError{Program: program, Problems: []string{"the verb comes first, then its flags: got " + first}}
	}
	if err := (config.Command{Name: program}).Parse(&f, p.Args, p.LookupEnv); err != nil {
		return err
	}
	if f.Completion != "" {
		return writeCompletion(p, f.Completion)
	}
	return writeManual(p, f.Man)
}

func writeCompletion(p cli.Process, shell string) error {
	toComplete := completion.Program{Name: program}
	for _, v := range verbs {
		toComplete.Verbs = append(toComplete.Verbs, completion.Verb{Name: v.name, Summary: v.summary, Outline: v.outline()})
	}
	_, err := io.WriteString(p.Stdout, completion.Script(shell, toComplete))
	return err
}

// writeManual writes a page for the program and one for each verb. Pages of before are replaced.
func writeManual(p cli.Process, folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return manError(err)
	}
	pages := map[string]string{program: manual()}
	for _, v := range verbs {
		pages[program+"-"+v.name] = v.outline().Manual()
	}
	for name, page := range pages {
		if err := writeWhole(filepath.Join(folder, name+".1"), []byte(page), 0o644); err != nil {
			return manError(err)
		}
	}
	_, err := fmt.Fprintf(p.Stdout, "%d pages written to %s\n", len(pages), folder)
	return err
}

// manError is the error of a folder that cannot be used: an error of the command line, if the system
// says so.
func manError(err error) error {
	if errors.As(err, new(*fs.PathError)) {
		return cli.WrongInput(fmt.Errorf("the manual pages: %w", err))
	}
	return err
}

// manual returns the page of the program itself, which --help shows.
func manual() string {
	page := &config.Roff{}
	page.Title(program, "label messages as they flow through Kafka")
	page.Section("Synopsis")
	page.Paragraph(program + " VERB [flags]")
	page.Section("Description")
	page.Paragraph(about)
	page.Paragraph(exits)
	page.Paragraph(besides)
	for _, group := range groups {
		page.Section(group.title)
		for _, v := range group.verbs {
			page.Entry(program+" "+v.name, v.summary)
		}
	}
	page.Section("See also")
	var names []string
	for _, name := range verbNames() {
		names = append(names, program+"-"+name+"(1)")
	}
	page.Paragraph(strings.Join(names, ", "))
	return page.String()
}

const about = "Bayestream labels messages as they flow through Kafka. It learns from the messages that carry a " +
	"label, one at a time, and gives every other message a label, its log posterior, and the words that decided. The " +
	"model consists of counts: it can explain each decision, unlearn a document exactly, and is the same on every " +
	"machine to the last bit."

const exits = `"bayestream VERB --help" explains a verb and its flags. Verbs that print results take --json; verbs that read files take - or none for standard input, and unpack compressed files (gzip, zstd, xz, bzip2, zip) by themselves. Data go to standard output, everything else to standard error. Exit codes: 0 done, 1 failed, 2 wrong usage or input.`

const besides = `"bayestream version" prints what a bug report needs. "bayestream --completion=bash", or zsh or fish, writes a script with which the tab key completes verbs, flags, values and files. "bayestream --man=FOLDER" writes manual pages.`

// The first page has two columns: the verb and its summary.
const (
	pageWidth  = 80
	pageColumn = "             "
)

func firstPage() string {
	var b strings.Builder
	b.WriteString("Usage: bayestream VERB [flags]\n\n" + config.Wrap(about, "", pageWidth))
	for _, group := range groups {
		b.WriteString("\n" + group.title + "\n")
		for _, v := range group.verbs {
			text := config.Wrap(v.summary, pageColumn, pageWidth)
			fmt.Fprintf(&b, "  %-*s%s", len(pageColumn)-2, v.name, text[len(pageColumn):])
			fmt.Fprintf(&b, "%s$ %s\n", pageColumn, v.example)
		}
	}
	return b.String() + "\n" + config.Wrap(exits, "", pageWidth) + "\n" + config.Wrap(besides, "", pageWidth)
}
