package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"bayestream/internal/shell/config"
	"bayestream/internal/tools/cli"
)

func init() {
	register(verb{
		name: "man", group: "Other", place: 1,
		summary: "Write the manual pages of this build into a folder.",
		example: "bayestream man ~/.local/share/man/man1",
		run:     runMan,
		outline: outline[manFlags](&manCommand),
	})
}

// manFlags are the flags of the verb man.
type manFlags struct {
	Folder string `arg:"" complete:"file" name:"folder" help:"Folder to write the pages into. It is created if it does not exist."`
}

var manCommand = config.Command{
	Name: program + " man",
	About: "Writes a manual page for bayestream, and one for each verb, bayestream-train.1 and so on, with what --help says. Pages of before are replaced. Where man " +
		"looks for pages, a folder man1 in one that manpath prints, man bayestream-train shows one.",
	Examples: []config.Example{
		{What: "For yourself", Type: "bayestream man ~/.local/share/man/man1"},
		{What: "To look at one", Type: "bayestream man pages && head pages/bayestream-train.1"},
	},
}

func runMan(_ context.Context, p cli.Process) error {
	var f manFlags
	if err := manCommand.Parse(&f, p.Args); err != nil {
		return err
	}
	if err := os.MkdirAll(f.Folder, 0o755); err != nil {
		return manError(err)
	}
	pages := map[string]string{program: manual()}
	for name, v := range verbs {
		pages[program+"-"+name] = v.outline().Manual(v.summary)
	}
	for name, page := range pages {
		if err := writeWhole(filepath.Join(f.Folder, name+".1"), []byte(page), 0o644); err != nil {
			return manError(err)
		}
	}
	_, err := fmt.Fprintf(p.Stdout, "%d pages written to %s\n", len(pages), f.Folder)
	return err
}

// manError is the error of a folder that cannot be used: that of the command line, if the system says so.
func manError(err error) error {
	var wrong *fs.PathError
	if errors.As(err, &wrong) {
		return cli.WrongInput(fmt.Errorf("the manual pages: %w", err))
	}
	return err
}

// manual returns the page of the toolbox itself: that of --help.
func manual() string {
	page := &config.Roff{}
	page.Title(program, "label messages as they flow through Kafka")
	page.Section("Synopsis")
	page.Paragraph(program + " VERB [flags]")
	page.Section("Description")
	page.Paragraph(about)
	page.Paragraph(exits)
	for _, group := range groups {
		page.Section(group)
		for _, v := range verbsOf(group) {
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
