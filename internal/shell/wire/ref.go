package wire

import (
	"strconv"

	"bayestream/internal/shell/wire/jsonread"
)

// maxTopicBytes is Kafka's own limit on the name of a topic.
const maxTopicBytes = 249

// A Ref is the place of a document in another record. Ingest checks whether it may
// read that topic (RefDenied) and whether the record still exists (RefGone).
type Ref struct {
	Topic     string
	Partition int
	Offset    int64
}

// ref reads the ref of a training record, which replaces the document.
func (d *Decoder) ref(value []byte, found fields, dst *Training) error {
	if field := d.training.content(value, found, &dst.scratch); field != "" {
		return Rejectf(BadRef, "the record has a ref and field %q; want one or the other", field)
	}
	object := found[slotRef]
	if !object.IsObject() {
		return Rejectf(BadRef, "field \"ref\" is %s, %s; want an object", shown(object), object.Kind())
	}
	ref, err := readRef(object, &dst.scratch)
	dst.Ref = ref
	return err
}

// readRef reads the three members of a ref; others are ignored.
func readRef(object jsonread.Value, sc *scratch) (*Ref, error) {
	var found [3]jsonread.Value
	sc.reader.Members(object, found[:], "topic", "partition", "offset")
	topic := found[0]
	if !topic.IsString() {
		return nil, Rejectf(BadRef, "field \"ref\", \"topic\" is %s; want a string", topic.Kind())
	}
	name := sc.text(topic)
	if len(name) == 0 || len(name) > maxTopicBytes {
		return nil, Rejectf(BadRef, "field \"ref\", \"topic\" is %s; want 1 to %d bytes", show(name), maxTopicBytes)
	}
	p, err := position("partition", found[1], 32)
	if err != nil {
		return nil, err
	}
	o, err := position("offset", found[2], 64)
	if err != nil {
		return nil, err
	}
	return &Ref{Topic: string(name), Partition: int(p), Offset: o}, nil
}

// position reads a partition or an offset: an integer that is not negative.
func position(name string, value jsonread.Value, bits int) (int64, error) {
	n, err := strconv.ParseInt(string(value), 10, bits) // a string has quotes
	if err == nil && n >= 0 {
		return n, nil
	}
	if value.IsMissing() {
		return 0, Rejectf(BadRef, "field \"ref\", %q is missing", name)
	}
	return 0, Rejectf(BadRef, "field \"ref\", %q is %s, %s; want an integer from 0 on", name, shown(value), value.Kind())
}
