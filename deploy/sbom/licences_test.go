package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"bayestream/internal/testing/filetest"
)

// allowed are phrases of licences that let anybody link, change and sell what they cover.
var allowed = map[string]string{
	"MIT":          "Permission is hereby granted, free of charge, to any person obtaining a copy",
	"BSD":          "Redistribution and use in source and binary forms, with or without modification, are permitted",
	"Apache":       "Apache License Version 2.0, January 2004",
	"ISC and 0BSD": "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted",
}

// refused finds licences that ask for more, also where one stands beside an allowed one.
var refused = regexp.MustCompile(`(?i)general public license|affero|mozilla public|server side public|business source|commons clause|common development|eclipse public|creative commons`)

// objection returns what speaks against the text of a licence, or nothing.
func objection(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if found := refused.FindString(text); found != "" {
		return "its licence names the " + found
	}
	for _, phrase := range allowed {
		if strings.Contains(text, phrase) {
			return ""
		}
	}
	return "its licence is none of those that are allowed"
}

func TestObjection(t *testing.T) {
	for text, good := range map[string]bool{
		allowed["MIT"]: true,
		strings.ReplaceAll(allowed["BSD"], " ", "\n "):                   true,
		allowed["MIT"] + " GNU Lesser General Public License, version 3": false,
		"All rights reserved.":                                           false,
		"":                                                               false,
	} {
		if got := objection(text); (got == "") != good {
			t.Errorf("%q: got the objection %q, want one: %v", text, got, !good)
		}
	}
}

// TestLicences reads the licence of each module that is linked into a binary, in the cache of
// modules.
func TestLicences(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Dir}}{{end}}", "./cmd/...")
	list.Dir = "../.."
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	folders := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), " ")
		if path != "" {
			folders[path] = folder
		}
	}
	if len(folders) < 20 {
		t.Fatalf("go list names %d modules", len(folders))
	}
	for path, folder := range folders {
		if found := objection(licence(t, folder)); found != "" {
			t.Errorf("%s: %s", path, found)
		}
	}
}

// licence returns the texts of the licences of a module.
func licence(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	for _, pattern := range []string{"[Ll][Ii][Cc][Ee][Nn][CcSs][Ee]*", "COPYING*"} {
		names, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content := filetest.Read(t, name)
			text.Write(content)
		}
	}
	return text.String()
}
