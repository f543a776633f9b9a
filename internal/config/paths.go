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
	lists.RegisterName("path", plain).RegisterName("existingfile", existing)
	return []kong.Option{kong.NamedMapper("path", plain), kong.NamedMapper("existingfile", existing)}
}

// pathMapper replaces a ~ in front, which shells leave alone in --flag=~/file. Empty
// stays empty, and - is standard input.
type pathMapper struct {
	lists    *kong.Registry // splits a list and comes back here for each element
	exist    bool           // there must be such a file
	absolute bool           // the path is made absolute
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
	if m.absolute || strings.HasPrefix(path, "~/") {
		path = kong.ExpandPath(path)
	}
	target.SetString(path)
	if m.exist {
		return checkFile(path)
	}
	return nil
}
