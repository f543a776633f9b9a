package wire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"bayestream/internal/core/model"
	"bayestream/internal/counts"
	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire/jsonread"
)

// A Reason says in one word why a record was not used. It is the value of the
// label "reason" in metrics, the class name in dead letters and the "reason" in
// HTTP answers; the words are part of the contract and never change meaning.
type Reason string

// The reasons, in the order in which a record is checked.
const (
	BadPrior       Reason = "bad_prior"
	BadCorrection  Reason = "bad_correction"
	BadRow         Reason = "bad_row"
	BadBatch       Reason = "bad_batch"
	TooLarge       Reason = "too_large"
	InvalidUTF8    Reason = "invalid_utf8"
	UnknownSchema  Reason = "unknown_schema"
	NotJSON        Reason = "not_json"
	BadEvent       Reason = "bad_event"
	BadMail        Reason = "bad_mail"
	BadID          Reason = "bad_id"
	NoLabel        Reason = "no_label"
	BadLabel       Reason = "bad_label"
	UnknownClass   Reason = "unknown_class"
	BadWeight      Reason = "bad_weight"
	BadTime        Reason = "bad_time"
	BadRef         Reason = "bad_ref"
	RefDenied      Reason = "ref_denied"
	RefGone        Reason = "ref_gone"
	NoText         Reason = "no_text"
	NothingFound   Reason = "nothing_found"
	BadNumber      Reason = "bad_number"
	NumberRange    Reason = "number_range"
	BadCategory    Reason = "bad_category"
	TooManyClasses Reason = "too_many_classes"
	CannotUnlearn  Reason = "cannot_unlearn"
	AheadOfTime    Reason = "ahead_of_time"
	UnknownID      Reason = "unknown_id"
)

// reasons is the table behind Reasons, Reason.Summary and the table in
// docs/formats.md, which a test keeps equal to it.
var reasons = []struct {
	reason  Reason
	summary string // begins the sentence of a Reject
	remedy  string // what to do about it, for the table in the docs
}{
	{BadRow, "bad row", "give every row of the CSV file as many columns as the header (files only)"},
	{BadPrior, "bad prior", "send `prior` as an object of known classes and numbers above 0 (HTTP only)"},
	{BadCorrection, "bad correction", "send an object with `label`, and `id` or `source` (HTTP only)"},
	{BadBatch, "unreadable batch", "the batch is damaged, or too large once unpacked: check the producer"},
	{TooLarge, "record too large", "shorten the value or raise `limits.record_bytes` in the spec"},
	{InvalidUTF8, "invalid UTF-8", "encode the value, the key or the named header as UTF-8"},
	{UnknownSchema, "unknown schema", "register the schema of the record again, and send the dead letter again; or " +
		"check which registry its producer uses"},
	{NotJSON, "not a JSON object", "send one JSON object as the value, or choose the format `text` or `mail`"},
	{BadEvent, "bad CloudEvent", "send the document as `data` of the event, an object or a string, or as `data_base64`"},
	{BadMail, "not a mail", "send an RFC 822 message: header fields, an empty line, the body"},
	{BadID, "bad id", "send a string of 1 to 512 bytes or an integer; to forget a document, name it"},
	{NoLabel, "no label", "add the label field or header; documents without a label belong in the documents topic"},
	{BadLabel, "bad label", "send a string of 1 to 256 bytes without control characters, or null to forget"},
	{UnknownClass, "unknown class", "use one of the classes of the spec, or take the fixed classes out of it"},
	{BadWeight, "bad weight", "send an integer from 1 to 1000"},
	{BadTime, "bad time", "send a time like `2026-01-31T12:00:00Z`, or milliseconds since 1970"},
	{BadRef, "bad ref", "send `{\"topic\", \"partition\", \"offset\"}` with a label and without a document of its own"},
	{RefDenied, "ref not allowed", "add the topic to the allow-list of ingest, or send the document itself"},
	{RefGone, "document no longer retained", "send the document itself, or lengthen the retention of its topic"},
	{NoText, "no text", "send the text field as a string; an empty string is a document"},
	{NothingFound, "nothing found", "name the fields in the spec as the records do, or say under `from` where they are"},
	{BadNumber, "bad number", "send a JSON number, not a string"},
	{NumberRange, "number out of range", "keep the number within the scale of the spec (9.2e9 at 1e-9)"},
	{BadCategory, "bad category", "send a string of at most 512 bytes without control characters"},
	{TooManyClasses, "too many classes", "check where the labels come from, or raise `limits.classes` in the spec"},
	{CannotUnlearn, "cannot unlearn", "nothing was changed: the old text is no longer retained"},
	{AheadOfTime, "ahead of time", "its time is ahead by over half of the window: its producer has a wrong clock"},
	{UnknownID, "unknown id", "the document is not known, or was forgotten: send it with the label"},
}

// The reasons for which ingest skips a valid record without a dead letter.
const (
	SkipUnknownID = string(UnknownID) // forgets a document that is not in the ledger
	SkipLost      = "lost"            // was deleted before it was counted, which --accept-loss allows

	// was sent again or forwarded, and its id was learned from a later record or forgotten meanwhile
	SkipSuperseded = "superseded"
	SkipForwarded  = "forwarded" // forgets or relabels what another partition knows, and was written there
)

// Reasons lists every reason in a fixed order, so that a worker can create the
// series of its counters before the first dead letter.
func Reasons() []Reason {
	all := make([]Reason, len(reasons))
	for i := range reasons {
		all[i] = reasons[i].reason
	}
	return all
}

// Summary returns the reason in plain words, with which the sentence of a Reject begins.
func (r Reason) Summary() string {
	for i := range reasons {
		if reasons[i].reason == r {
			return reasons[i].summary
		}
	}
	return string(r)
}

// A Reject is the error for a record that cannot be used, now or later: it goes to
// the dead-letter topic (or is a 400 in HTTP) and the stream continues. A failure of
// the broker or the disk is never a Reject.
type Reject struct {
	Reason Reason
	Detail string // names the field and shows the value
}

// Error returns the sentence: the reason in plain words, a colon, the detail.
func (r *Reject) Error() string {
	if r.Detail == "" {
		return r.Reason.Summary()
	}
	return r.Reason.Summary() + ": " + r.Detail
}

// Rejectf returns a Reject with a formatted detail.
func Rejectf(reason Reason, format string, args ...any) *Reject {
	return &Reject{Reason: reason, Detail: fmt.Sprintf(format, args...)}
}

// AsReject returns err as a *Reject if it is the model's refusal of one document, a
// *model.TooManyClassesError, else err as it is, nil included.
func AsReject(err error) error {
	if classes, ok := errors.AsType[*model.TooManyClassesError](err); ok {
		return Rejectf(TooManyClasses, "%v", classes)
	}
	return err
}

// What all formats check alike. The detail of a Reject is the end of a sentence, to which At adds
// the place.

// At returns the reject of a value at a place.
func (r *Reject) At(where any) *Reject { return Rejectf(r.Reason, "%s %s", where, r.Detail) }

// CheckID refuses an id that is out of bounds.
func CheckID(id []byte) *Reject {
	switch {
	case len(id) == 0:
		return Rejectf(BadID, "is empty")
	case len(id) > maxIDBytes:
		return Rejectf(BadID, "has %d bytes, the limit is %d", len(id), maxIDBytes)
	case !utf8.Valid(id):
		return Rejectf(InvalidUTF8, "%s is not UTF-8", show(id))
	}
	return nil
}

// CheckLabel returns a label without the space around it. It refuses one that is out of bounds, or
// that is no class. A nil isClass is true of all.
func CheckLabel(label []byte, isClass func(name []byte) bool) ([]byte, *Reject) {
	label = bytes.TrimSpace(label)
	err := counts.CheckClass(view(label))
	switch {
	case !utf8.Valid(label):
		return nil, Rejectf(InvalidUTF8, "is %s, which is not UTF-8", show(label))
	case err != nil:
		return nil, Rejectf(BadLabel, "%v", err)
	case isClass != nil && !isClass(label):
		return nil, Rejectf(UnknownClass, "is %s, which is not among the spec's classes", show(label))
	}
	return label, nil
}

// CheckCategory returns a category without the space around it, and refuses one that is out of
// bounds. An empty one is not.
func CheckCategory(text []byte) ([]byte, *Reject) {
	text = bytes.TrimSpace(text)
	if len(text) > maxCategoryBytes {
		return nil, Rejectf(BadCategory, "has %d bytes, the limit is %d", len(text), maxCategoryBytes)
	}
	if err := counts.CheckTerm(text); err != nil && len(text) > 0 {
		return nil, Rejectf(BadCategory, "%v", err)
	}
	return text, nil
}

// maxShown is how many bytes of a bad value a sentence repeats.
const maxShown = 60

// show quotes the start of a value that need not be JSON or text.
func show[T ~string | ~[]byte](value T) string {
	if len(value) <= maxShown {
		return strconv.Quote(string(value))
	}
	return strconv.Quote(clip(string(value[:min(len(value), maxShown+utf8.UTFMax)]), maxShown)) + "..."
}

func shown(v jsonread.Value) string {
	line := bytes.Map(func(r rune) rune {
		if r < ' ' { // white space, as the value is JSON
			return ' '
		}
		return r
	}, v)
	if len(line) <= maxShown {
		return escape.Text(string(line))
	}
	return escape.Text(clip(string(line), maxShown)) + "..."
}

// clip cuts s to at most n bytes, between runes if there are any.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	cut := n
	for cut > 0 && n-cut < utf8.UTFMax && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut]
}
