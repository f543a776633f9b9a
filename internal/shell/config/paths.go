package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// paths returns the mappers of the types path and existingfile. They replace kong's, which turn an
// empty path into the working directory and use the first file of a flag that is given twice.
// absolute makes paths absolute: readers of a worker's log do not know its working directory. The
// verbs show paths as typed.
func paths(absolute bool) []kong.Option {
	lists := kong.NewRegistry().RegisterDefaults()
	plain, existing := pathMapper{lists, false, absolute}, pathMapper{lists, true, absolute}
	lists.RegisterName("path", plain).RegisterName("existingfile", plain)
	return []kong.Option{kong.NamedMapper("path", plain), kong.NamedMapper("existingfile", existing)}
}

// pathMapper expands a leading ~, which shells do not in --flag=~/file. An empty path stays empty,
// and - is standard input.
type pathMapper struct {
	lists    *kong.Registry // splits a list without checking its files
	exist    bool           // the file must exist
	absolute bool           // the path is made absolute
}

// Decode reads a path, or a list of them.
func (m pathMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		before := target.Len()
		if err := m.lists.ForType(target.Type()).Decode(ctx, target); err != nil {
			return err
		}
		for i := before; i < target.Len(); i++ {
			if err := m.check(target.Index(i).String()); err != nil {
				return err
			}
		}
		return nil
	}
	var path string
	if err := ctx.Scan.PopValueInto("file", &path); err != nil {
		return fmt.Errorf("read the path: %w", err)
	}
	if path == "" || path == "-" {
		target.SetString(path)
		return nil
	}
	if m.absolute || strings.HasPrefix(path, "~/") {
		path = kong.ExpandPath(path)
	}
	target.SetString(path)
	return m.check(path)
}

// check checks that a file exists if it must.
func (m pathMapper) check(path string) error {
	if !m.exist || path == "" || path == "-" {
		return nil
	}
	if err := checkFile(path); err != nil {
		return fileError{err}
	}
	return nil
}

// fileError is an error about the file of a well-formed value.
type fileError struct{ error }
