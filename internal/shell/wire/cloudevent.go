package wire

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	"bayestream/internal/shell/record"
	"bayestream/internal/shell/wire/jsonread"
)

// SchemaHeader is the header that names the schema of a value in a registry.
const SchemaHeader = "__value_schema_id"

// structuredEvent is the media type of a CloudEvent in structured content mode: a JSON object that
// holds the document.
const structuredEvent = "application/cloudevents+json"

func isStructured(headers []record.Header) bool {
	for i := len(headers) - 1; i >= 0; i-- {
		if strings.EqualFold(headers[i].Key, contentType) {
			name, _, _ := bytes.Cut(headers[i].Value, []byte{';'}) // behind it are parameters: charset=UTF-8
			return strings.EqualFold(view(bytes.TrimSpace(name)), structuredEvent)
		}
	}
	return false
}

func isEvent(headers []record.Header) bool {
	_, binary := lastHeader(headers, ceSpecVersion)
	return binary || isStructured(headers)
}

// documentOf returns the document of a record that has a value: the value itself, or the data of a
// CloudEvent in structured mode, or what a schema reads in it. It keeps the id of such an event in
// sc.
func (d *Decoder) documentOf(rec *record.Record, sc *scratch) ([]byte, error) {
	if rec.Schema != nil {
		return d.plain(rec, sc)
	}
	if !isStructured(rec.Headers) {
		return rec.Value, nil
	}
	var found [3]jsonread.Value
	sc.reader.Members(rec.Value, found[:], "id", "data", "data_base64")
	data, packed := found[1], found[2]
	sc.eventID = found[0]
	if sc.reader.Err() != nil || !utf8.Valid(rec.Value) {
		return nil, notObject(rec.Value)
	}
	switch {
	case data.IsString() && d.schema.Format != FormatJSON:
		return sc.text(data), nil
	case !data.IsAbsent():
		return data, nil
	case packed.IsString():
		return sc.unpacked(packed)
	}
	return nil, Rejectf(BadEvent, "it has neither \"data\" nor \"data_base64\"")
}

func (d *Decoder) plain(rec *record.Record, sc *scratch) (value []byte, err error) {
	if d.schema.Format != FormatJSON {
		return nil, Rejectf(NotJSON, "the value has the frame of a schema registry, and the spec reads %s: want "+
			"records.format: json", d.schema.Format)
	}
	value, sc.plain, err = rec.Schema.JSON(rec, sc.plain[:0])
	return value, err
}

// unpacked returns the bytes of a string in base64.
func (sc *scratch) unpacked(packed jsonread.Value) ([]byte, error) {
	text := sc.text(packed)
	start := len(sc.buf)
	buf, err := base64.StdEncoding.AppendDecode(sc.buf, text)
	if err != nil {
		return nil, Rejectf(BadEvent, "\"data_base64\" is %s: %v", shown(packed), err)
	}
	sc.buf = buf
	return buf[start:len(buf):len(buf)], nil
}

// eventID returns the id of a CloudEvent, nil for another record.
func eventID(rec *record.Record, sc *scratch) ([]byte, error) {
	if id, found := lastHeader(rec.Headers, ceID); found {
		return checkID(id, place{"header", ceID})
	}
	switch {
	case sc.eventID.IsAbsent():
		return nil, nil
	case !sc.eventID.IsString():
		return nil, Rejectf(BadID, "the id of the CloudEvent is %s, %s; want a string", shown(sc.eventID), sc.eventID.Kind())
	}
	return checkID(sc.text(sc.eventID), place{"the id of the CloudEvent", ""})
}

// dataOf returns where the document is in the value of a CloudEvent in structured mode; false
// if it is no object.
func dataOf(event []byte, r *jsonread.Reader) (start, end int, ok bool) {
	for r.Reset(event); r.Next(); {
		if string(r.Name()) == "data" {
			_, end = r.At()
			return end - len(r.Value()), end, r.Value().IsObject()
		}
	}
	return 0, 0, false
}
