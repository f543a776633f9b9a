package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
)

// paths returns the mappers of the types path and existingfile. They replace
// kong's, which turn an empty path into the working directory and take the first of
// two files where one flag is given twice. absolute makes paths absolute: a worker's
// log is read by people who do not know where it was started. Who types a command
// sees the names that were typed.
func paths(absolute bool) []kong.Option {
	lists := kong.NewRegistry().RegisterDefaults()
	plain, existing := pathMapper{lists, false, absolute}, pathMapper{lists, true, absolute}
	lists.RegisterName("path", plain).RegisterName("existingfile", plain)
	return []kong.Option{kong.NamedMapper("path", plain), kong.NamedMapper("existingfile", existing)}
}

// pathMapper replaces a ~ in front, which shells leave alone in --flag=~/file. Empty
// stays empty, and - is standard input.
type pathMapper struct {
	lists    *kong.Registry // splits a list, and leaves to us whether its files exist
	exist    bool           // there must be such a file
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

// check refuses a file that must exist and does not.
func (m pathMapper) check(path string) error {
	if !m.exist || path == "" || path == "-" {
		return nil
	}
	if err := checkFile(path); err != nil {
		return fileError{err}
	}
	return nil
}

// fileError is about the file that a value names: the value itself is one.
type fileError struct{ error }
