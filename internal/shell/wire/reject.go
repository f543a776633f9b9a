package wire

import (
	"errors"
	"fmt"

	"bayestream/internal/core/model"
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
	{BadPrior, "bad prior", "send `prior` as an object of classes that the model has and " +
		"numbers above 0, or leave it out (HTTP only)"},
	{BadCorrection, "bad correction", "send a JSON object with `label`, and `id` or " +
		"`source`, and nothing else (HTTP only)"},
	{BadBatch, "unreadable batch", "the records of a whole batch cannot be read (damaged, or " +
		"too large once unpacked): check the producer"},
	{TooLarge, "record too large", "shorten the value or raise `limits.record_bytes` in the spec"},
	{InvalidUTF8, "invalid UTF-8", "encode the value, the key or the named header as UTF-8"},
	{NotJSON, "not a JSON object", "send one JSON object as the value, or choose the format `text` or `mail`"},
	{BadEvent, "bad CloudEvent", "send the document as `data` of the event, an object for JSON and else a string, or " +
		"packed as `data_base64`"},
	{BadMail, "not a mail", "send an RFC 822 message: header fields, an empty line, the body"},
	{BadID, "bad id", "send a string of 1 to 512 bytes or an integer; to forget a document, name it"},
	{NoLabel, "no label", "add the label field or header; documents without a label belong in the documents topic"},
	{BadLabel, "bad label", "send the label as a string of 1 to 256 bytes without control characters, or null to forget"},
	{UnknownClass, "unknown class", "use one of the classes of the spec, or take the fixed classes out of it"},
	{BadWeight, "bad weight", "send an integer from 1 to 1000, or leave it out"},
	{BadTime, "bad time", "send a time like `2026-01-31T12:00:00Z`, or milliseconds since 1970, or leave it out"},
	{BadRef, "bad ref", "send `{\"topic\", \"partition\", \"offset\"}` with a label and without a document of its own"},
	{RefDenied, "ref not allowed", "add the topic to the allow-list of ingest, or send the document itself"},
	{RefGone, "document no longer retained", "send the document itself, or lengthen the retention of its topic"},
	{NoText, "no text", "send the text field as a string; an empty string is a document"},
	{NothingFound, "nothing found", "name the fields of the spec as the records do, or say " +
		"under `from` in the spec where they stand"},
	{BadNumber, "bad number", "send a JSON number, not a string; leave out what is missing"},
	{NumberRange, "number out of range", "keep the number within what the spec's scale can hold (9.2e9 at 1e-9)"},
	{BadCategory, "bad category", "send the category as a string of at most 512 bytes " +
		"without control characters; leave out what is missing"},
	{TooManyClasses, "too many classes", "check where the labels come from, or raise `limits.classes` in the spec"},
	{CannotUnlearn, "cannot unlearn", "nothing was changed: the old text is no longer " +
		"retained, and its counts cannot be taken out exactly"},
	{AheadOfTime, "ahead of time", "the record is more than a day ahead of the newest document of its partition, in a " +
		"model whose window is an age: its producer has a wrong clock"},
	{UnknownID, "unknown id", "a label without a document is for a document that was learned and not forgotten since: " +
		"send the document with the label"},
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
	var classes *model.TooManyClassesError
	if errors.As(err, &classes) {
		return Rejectf(TooManyClasses, "%v", classes)
	}
	return err
}
