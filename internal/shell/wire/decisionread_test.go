package wire

import (
	"testing"

	"bayestream/internal/shell/stream"
)

// A decision of each mode is read back. Headers say the label, its posterior, the model and the
// place; what is no decision has its place and the status "?".
func TestReadDecision(t *testing.T) {
	for _, mode := range modes {
		e, in, out := emitter(t, mode), incoming(), stream.Record{}
		d := twoClasses()
		e.Append(nil, &out, in, "id", d)
		got, raw := ReadDecision(&out, "bayestream")
		if got.IsNone() || got.Label != "spam" || got.Confidence() != 0.9982 || got.Name != "sms" || got.Offset != 1234 || got.Source != recordSource(in) {
			t.Errorf("%s: got %+v of %s", mode, got, raw)
		}
		if inHeaders := mode == EmitHeaders; inHeaders != (raw == nil) || inHeaders == got.HasMargin || got.ID != "id" {
			t.Errorf("%s: got %+v of %q", mode, got, raw)
		}
		e.Append(nil, &out, in, "id", nil)
		if got, _ = ReadDecision(&out, "bayestream"); !got.IsNone() || got.Source != recordSource(in) {
			t.Errorf("%s: a null document: %+v", mode, got)
		}
	}
}

// Names of models may have an @ of their own.
func TestCutOffset(t *testing.T) {
	for text, want := range map[string]struct {
		name   string
		offset int64
	}{"sms@12": {"sms", 12}, "a@b": {"a@b", -1}, "a@1@0": {"a@1", 0}, "sms": {"sms", -1}, "": {"", -1}, "a@-1": {"a@-1", -1}} {
		if name, offset := cutOffset(text); name != want.name || offset != want.offset {
			t.Errorf("%s: got %q and %d", text, name, offset)
		}
	}
}
