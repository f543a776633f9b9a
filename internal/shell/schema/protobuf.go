package schema

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"bayestream/internal/shell/wire"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
)

// protobufFormat reads values of the messages of a Protobuf file.
type protobufFormat struct{ file protoreflect.FileDescriptor }

func newProtobuf(t *text) (format, error) {
	const name = "bayestream/value.proto" // nothing refers to it
	files := map[string]protocompile.SearchResult{name: sourceOf(name, t.Schema)}
	for i := range t.References {
		of := &t.References[i]
		files[of.Name] = sourceOf(of.Name, of.Schema)
	}
	find := func(path string) (protocompile.SearchResult, error) {
		if found, ok := files[path]; ok {
			return found, nil
		}
		return protocompile.SearchResult{}, protoregistry.NotFound
	}
	compiler := protocompile.Compiler{MaxParallelism: 1,
		Resolver: protocompile.WithStandardImports(protocompile.ResolverFunc(find))}
	compiled, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, err
	}
	return protobufFormat{compiled[0]}, nil
}

// sourceOf returns a file as it was registered: its text, or what a client in Python registers and
// some registries return, its descriptor in base64.
func sourceOf(name, schema string) protocompile.SearchResult {
	descriptor := &descriptorpb.FileDescriptorProto{}
	packed, err := base64.StdEncoding.DecodeString(schema)
	if err == nil && len(packed) > 0 && proto.Unmarshal(packed, descriptor) == nil {
		descriptor.Name = &name
		nameFields(descriptor.GetMessageType())
		return protocompile.SearchResult{Proto: descriptor}
	}
	return protocompile.SearchResult{Source: strings.NewReader(schema)}
}

// nameFields gives fields the names that the compiler asks for, and that a descriptor may lack.
func nameFields(messages []*descriptorpb.DescriptorProto) {
	for _, m := range messages {
		for _, field := range m.GetField() {
			field.JsonName = field.Name
		}
		nameFields(m.GetNestedType())
	}
}

func (f protobufFormat) json(dst, indexes, body []byte) (json []byte, err error) {
	defer refuse(&err)
	isFramed := indexes == nil
	if isFramed {
		indexes = body
	}
	message, rest, err := f.message(indexes)
	if err != nil {
		return nil, err
	}
	if isFramed {
		body = rest
	}
	cost, err := costOf(message, body, 0)
	if err == nil && cost > mostCost {
		err = errCost
	}
	if err != nil {
		return nil, err
	}
	value := dynamicpb.NewMessage(message)
	options := proto.UnmarshalOptions{AllowPartial: true, DiscardUnknown: true, RecursionLimit: mostDepth,
		Resolver: (*protoregistry.Types)(nil)}
	if err := options.Unmarshal(body, value); err != nil {
		return nil, err
	}
	w := protobufWriter{dst}
	err = w.message(value)
	return w.out, err
}

// message returns the message that indexes name: their number, the index of a message in the file,
// then each time of one inside of it. No indexes name the first message.
func (f protobufFormat) message(b []byte) (found protoreflect.MessageDescriptor, rest []byte, err error) {
	count, n := binary.Varint(b)
	if n <= 0 || count < 0 || count > mostDepth {
		return nil, nil, errors.New("the index of its message is damaged")
	}
	b = b[n:]
	if count == 0 { // short for 1, 0
		count = 1
		b = append([]byte{0}, b...)
	}
	in := f.file.Messages()
	for ; count > 0; count-- {
		index, n := binary.Varint(b)
		if n <= 0 || index < 0 || index >= int64(in.Len()) {
			return nil, nil, fmt.Errorf("the file of the schema has no message with index %d there", index)
		}
		b = b[n:]
		found = in.Get(int(index))
		in = found.Messages()
	}
	return found, b, nil
}

// What the parts of a message take in memory, at most, and all of them may take.
const (
	costMessage = 512
	costValue   = 128
	costPacked  = 40
	mostCost    = 32 << 20
)

// errCost says that a message would take too much memory.
var errCost = fmt.Errorf("it has so many fields that it would take more than %d MiB", mostCost>>20)

// costOf returns about how much memory a message takes once it is decoded: a field of two bytes can
// become hundreds.
func costOf(m protoreflect.MessageDescriptor, b []byte, depth int) (cost int, err error) {
	if depth > mostDepth {
		return 0, errDeep
	}
	cost = costMessage
	for len(b) > 0 && cost <= mostCost {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		b = b[n:]
		n = protowire.ConsumeFieldValue(number, kind, b)
		if n < 0 {
			return 0, protowire.ParseError(n)
		}
		inside, err := costOfField(m.Fields().ByNumber(number), kind, b[:n], depth)
		if err != nil {
			return 0, err
		}
		cost += inside
		b = b[n:]
	}
	return cost, nil
}

func costOfField(field protoreflect.FieldDescriptor, kind protowire.Type, b []byte, depth int) (int, error) {
	switch {
	case field == nil: // it is dropped
		return 0, nil
	case field.Message() != nil && kind == protowire.BytesType:
		inside, _ := protowire.ConsumeBytes(b)
		return costOf(field.Message(), inside, depth+1)
	case field.Message() != nil && kind == protowire.StartGroupType:
		inside, _ := protowire.ConsumeGroup(field.Number(), b)
		return costOf(field.Message(), inside, depth+1)
	case field.IsList() && kind == protowire.BytesType && field.Kind() != protoreflect.StringKind &&
		field.Kind() != protoreflect.BytesKind:
		return costValue + costPacked*len(b), nil
	}
	return costValue, nil
}

// protobufWriter writes a message as JSON, by the names that the fields have in the file.
type protobufWriter struct{ out []byte }

// message writes the fields in the order of the file. A field that tells whether it is set is
// absent if it is not; one that does not tell has its zero.
func (w *protobufWriter) message(m protoreflect.Message) error {
	if len(w.out) > mostJSON {
		return errLong
	}
	if known, err := w.wellKnown(m); known || err != nil {
		return err
	}
	w.out = append(w.out, '{')
	isFirst := true
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if (field.HasPresence() || field.IsList() || field.IsMap()) && !m.Has(field) {
			continue
		}
		if !isFirst {
			w.out = append(w.out, ',')
		}
		isFirst = false
		w.out = append(wire.AppendString(w.out, string(field.Name())), ':')
		if err := w.field(field, m.Get(field)); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

// wellKnown writes a message of Google's that JSON has a form of its own for. What has no such form,
// like a time after the year 9999, is written as any message.
func (w *protobufWriter) wellKnown(m protoreflect.Message) (known bool, err error) {
	if m.Descriptor().ParentFile().Package() != "google.protobuf" {
		return false, nil
	}
	switch m.Descriptor().Name() {
	case "BoolValue", "StringValue", "BytesValue", "DoubleValue", "FloatValue", "Int32Value", "Int64Value", "UInt32Value",
		"UInt64Value", "Struct", "ListValue":
		only := m.Descriptor().Fields().Get(0)
		if only.Message() == nil || only.IsList() || only.IsMap() { // else it may be in itself, without end
			return true, w.field(only, m.Get(only))
		}
	case "Value":
		value := m.WhichOneof(m.Descriptor().Oneofs().Get(0))
		if value == nil || value.Enum() != nil {
			w.out = append(w.out, "null"...)
			return true, nil
		}
		return true, w.value(value, m.Get(value))
	case "Timestamp", "Duration", "FieldMask":
		if out, err := (protojson.MarshalOptions{}).MarshalAppend(w.out, m.Interface()); err == nil {
			w.out = out
			return true, nil
		}
	}
	return false, nil
}

// field writes a field: one value, a list or a map.
func (w *protobufWriter) field(field protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch {
	case field.IsMap():
		return w.entries(field.MapValue(), v.Map())
	case !field.IsList():
		return w.value(field, v)
	}
	w.out = append(w.out, '[')
	for i := range v.List().Len() {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if err := w.value(field, v.List().Get(i)); err != nil {
			return err
		}
	}
	w.out = append(w.out, ']')
	return nil
}

func (w *protobufWriter) entries(of protoreflect.FieldDescriptor, m protoreflect.Map) error {
	values := make(map[string]protoreflect.Value, m.Len())
	for k, v := range m.Range {
		values[k.String()] = v
	}
	w.out = append(w.out, '{')
	for i, key := range slices.Sorted(maps.Keys(values)) {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(wire.AppendString(w.out, key), ':')
		if err := w.value(of, values[key]); err != nil {
			return err
		}
	}
	w.out = append(w.out, '}')
	return nil
}

func (w *protobufWriter) value(field protoreflect.FieldDescriptor, v protoreflect.Value) error {
	switch of := v.Interface().(type) {
	case protoreflect.Message:
		return w.message(of)
	case bool:
		w.out = strconv.AppendBool(w.out, of)
	case string:
		w.out = wire.AppendString(w.out, of)
	case []byte:
		w.out = appendBytes(w.out, of)
	case float32:
		w.out = appendFloat(w.out, float64(of), 32)
	case float64:
		w.out = appendFloat(w.out, of, 64)
	case protoreflect.EnumNumber:
		if known := field.Enum().Values().ByNumber(of); known != nil {
			w.out = wire.AppendString(w.out, string(known.Name()))
		} else {
			w.out = strconv.AppendInt(w.out, int64(of), 10)
		}
	default:
		w.out = append(w.out, v.String()...) // an integer
	}
	return nil
}
