package schema

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"bayestream/internal/shell/wire"

	"github.com/twmb/avro"
)

// node is a type of an Avro schema.
type node struct {
	kind     string
	logical  string
	fields   []field
	of       *node   // items of an array, values of a map
	branches []*node // of a union
	symbols  [][]byte
	size     int // of a fixed
	scale    int // of a decimal
}

// field is a field of an Avro record.
type field struct {
	key []byte // its name as JSON, and a colon
	*node
}

// avroFormat reads values of an Avro schema.
type avroFormat struct{ root *node }

// lax takes names that only some libraries allow: Java's registers a namespace with a hyphen.
var lax = avro.WithLaxNames(nil)

func newAvro(t *text) (format, error) {
	var cache avro.SchemaCache
	c := avroCompiler{named: map[string]*node{}}
	for i := range t.References {
		s, err := cache.Parse(t.References[i].Schema, lax)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.References[i].Name, err)
		}
		if _, err := c.compile(s.Root(), ""); err != nil {
			return nil, err
		}
	}
	s, err := cache.Parse(t.Schema, lax)
	if err != nil {
		return nil, err
	}
	compiled, err := c.compile(s.Root(), "")
	return avroFormat{compiled}, err
}

// avroCompiler makes nodes. A type that has a name is one node, also in itself.
type avroCompiler struct{ named map[string]*node }

// compile returns the node of a type, in whose surroundings names are in a namespace.
func (c *avroCompiler) compile(s *avro.SchemaNode, namespace string) (*node, error) {
	if s.Name == "" && s.Items == nil && s.Values == nil { // it may be a name, also one like "map"
		for _, name := range []string{namespace + "." + s.Type, s.Type} {
			if known := c.named[name]; known != nil {
				return known, nil
			}
		}
	}
	n := &node{kind: s.Type, logical: s.LogicalType, size: s.Size, scale: s.Scale}
	switch s.Type {
	case "null", "boolean", "int", "long", "float", "double", "bytes", "string":
		return n, nil
	case "record", "error", "enum", "fixed":
		var name string
		name, namespace = fullName(s)
		c.named[name] = n
	case "array":
		return n, c.inside(n, s.Items, namespace)
	case "map":
		return n, c.inside(n, s.Values, namespace)
	case "union":
		for i := range s.Branches {
			branch, err := c.compile(&s.Branches[i], namespace)
			if err != nil {
				return nil, err
			}
			n.branches = append(n.branches, branch)
		}
		return n, nil
	default:
		return nil, fmt.Errorf("the type %q is not known", s.Type)
	}
	for _, symbol := range s.Symbols {
		n.symbols = append(n.symbols, wire.AppendString(nil, symbol))
	}
	for i := range s.Fields {
		of, err := c.compile(&s.Fields[i].Type, namespace)
		if err != nil {
			return nil, err
		}
		n.fields = append(n.fields, field{append(wire.AppendString(nil, s.Fields[i].Name), ':'), of})
	}
	return n, nil
}

func (c *avroCompiler) inside(n *node, of *avro.SchemaNode, namespace string) (err error) {
	n.of, err = c.compile(of, namespace)
	return err
}

// fullName returns the name of a type with its namespace, and that.
func fullName(s *avro.SchemaNode) (name, namespace string) {
	if at := strings.LastIndexByte(s.Name, '.'); at >= 0 {
		return s.Name, s.Name[:at]
	}
	if s.Namespace == "" {
		return s.Name, ""
	}
	return s.Namespace + "." + s.Name, s.Namespace
}

func (f avroFormat) json(dst, _, body []byte) ([]byte, error) {
	r := avroReader{rest: body, out: dst}
	if err := r.value(f.root, 0); err != nil {
		return nil, err
	}
	if len(r.rest) > 0 {
		return nil, fmt.Errorf("%d bytes are left behind it", len(r.rest))
	}
	return r.out, nil
}

// errShort says that a value ends too early.
var errShort = errors.New("it ends in the middle of a value")

// avroReader writes a value in the encoding of Avro as JSON. Each step writes something or reads
// something, so that the bounds of both bound the work.
type avroReader struct {
	rest []byte
	out  []byte
}

func (r *avroReader) value(n *node, depth int) error {
	if depth > mostDepth {
		return errDeep
	}
	if len(r.out) > mostJSON {
		return errLong
	}
	switch n.kind {
	case "null":
		r.out = append(r.out, "null"...)
		return nil
	case "boolean":
		return r.boolean()
	case "int", "long":
		i, err := r.long()
		r.out = appendInteger(r.out, n.logical, i)
		return err
	case "float":
		return r.float(32)
	case "double":
		return r.float(64)
	case "bytes", "string":
		return r.text(n)
	case "fixed":
		return r.bytes(n, int64(n.size))
	case "enum":
		return r.enum(n)
	case "union":
		i, err := r.index(len(n.branches))
		if err != nil {
			return err
		}
		return r.value(n.branches[i], depth+1) // a union may hold a record that holds the union
	case "array", "map":
		return r.blocks(n, depth)
	}
	return r.record(n, depth)
}

func (r *avroReader) record(n *node, depth int) error {
	r.out = append(r.out, '{')
	for i := range n.fields {
		if i > 0 {
			r.out = append(r.out, ',')
		}
		r.out = append(r.out, n.fields[i].key...)
		if err := r.value(n.fields[i].node, depth+1); err != nil {
			return err
		}
	}
	r.out = append(r.out, '}')
	return nil
}

// blocks reads the items of an array, or the keys and values of a map.
func (r *avroReader) blocks(n *node, depth int) error {
	isMap := n.kind == "map"
	opening, closing := byte('['), byte(']')
	if isMap {
		opening, closing = '{', '}'
	}
	r.out = append(r.out, opening)
	for first := true; ; {
		count, err := r.long()
		if err == nil && count < 0 {
			count = -count
			_, err = r.long() // the size of the block
		}
		if err != nil || count == 0 {
			r.out = append(r.out, closing)
			return err
		}
		for ; count != 0; count-- { // the smallest integer ends with an error too
			if !first {
				r.out = append(r.out, ',')
			}
			first = false
			if err := r.item(n, isMap, depth); err != nil {
				return err
			}
		}
	}
}

func (r *avroReader) item(n *node, isMap bool, depth int) error {
	if isMap {
		key, err := r.long()
		if err != nil {
			return err
		}
		name, err := r.take(key)
		if err != nil {
			return err
		}
		r.out = append(wire.AppendString(r.out, string(name)), ':')
	}
	return r.value(n.of, depth+1)
}

func (r *avroReader) take(n int64) ([]byte, error) {
	if n < 0 || n > int64(len(r.rest)) {
		return nil, errShort
	}
	taken := r.rest[:n]
	r.rest = r.rest[n:]
	return taken, nil
}

func (r *avroReader) boolean() error {
	b, err := r.take(1)
	if err == nil {
		r.out = strconv.AppendBool(r.out, b[0] == 1)
	}
	return err
}

func (r *avroReader) long() (int64, error) {
	i, n := binary.Varint(r.rest)
	if n <= 0 {
		return 0, errShort
	}
	r.rest = r.rest[n:]
	return i, nil
}

// index reads a number from 0 to n-1.
func (r *avroReader) index(n int) (int, error) {
	i, err := r.long()
	if err == nil && (i < 0 || i >= int64(n)) {
		err = fmt.Errorf("number %d of an enum or a union with %d members", i, n)
	}
	return int(i), err
}

func (r *avroReader) enum(n *node) error {
	i, err := r.index(len(n.symbols))
	if err == nil {
		r.out = append(r.out, n.symbols[i]...)
	}
	return err
}

func (r *avroReader) float(bits int) error {
	b, err := r.take(int64(bits / 8))
	switch {
	case err != nil:
	case bits == 32:
		r.out = appendFloat(r.out, float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), bits)
	default:
		r.out = appendFloat(r.out, math.Float64frombits(binary.LittleEndian.Uint64(b)), bits)
	}
	return err
}

func (r *avroReader) text(n *node) error {
	size, err := r.long()
	if err != nil {
		return err
	}
	return r.bytes(n, size)
}

func (r *avroReader) bytes(n *node, size int64) error {
	b, err := r.take(size)
	switch {
	case err != nil:
		return err
	case n.kind == "string":
		r.out = wire.AppendString(r.out, string(b))
	case n.logical == "decimal":
		r.out, err = appendDecimal(r.out, b, n.scale)
	case n.logical == "uuid" && len(b) == guidBytes:
		r.out = wire.AppendString(r.out, schemaID{guid: [guidBytes]byte(b)}.String())
	default:
		r.out = appendBytes(r.out, b)
	}
	return err
}
