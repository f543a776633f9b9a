package config

import (
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
)

// paths returns the mappers of the types path and existingfile. They replace
// kong's, which turn an empty path into the working directory and take the first of
// two files where one flag is given twice.
func paths() []kong.Option {
	lists := kong.NewRegistry().RegisterDefaults()
	plain, existing := pathMapper{lists, false}, pathMapper{lists, true}
	lists.RegisterName("path", plain).RegisterName("existingfile", existing)
	return []kong.Option{kong.NamedMapper("path", plain), kong.NamedMapper("existingfile", existing)}
}

// pathMapper makes a path absolute, so that messages and logs say which file is
// meant. Empty stays empty, and - is standard input.
type pathMapper struct {
	lists *kong.Registry // splits a list and comes back here for each element
	exist bool           // there must be such a file
}

// Decode reads a path, or a list of them.
func (m pathMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		return m.lists.ForType(target.Type()).Decode(ctx, target)
	}
	var path string
	if err := ctx.Scan.PopValueInto("file", &path); err != nil {
		return fmt.Errorf("read the path: %w", err)
	}
	if path == "" || path == "-" {
		target.SetString(path)
		return nil
	}
	path = kong.ExpandPath(path)
	target.SetString(path)
	if m.exist {
		return checkFile(path)
	}
	return nil
}
