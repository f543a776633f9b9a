package console

import (
	"net/http"

	"bayestream/internal/core/model"
	"bayestream/internal/shell/stream"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/mail"
)

// tryJSON is the body of POST /v1/try.
type tryJSON struct {
	Format   string `json:"format"`
	Document string `json:"document"`
	For      string `json:"for"`
	Against  string `json:"against"`
}

// triedJSON is what the model says of a document that is not stored, and what the tokenizer did.
type triedJSON struct {
	Now   *viewJSON          `json:"now"`
	Steps []segmentStepsJSON `json:"steps"`
}

type segmentStepsJSON struct {
	Segment string              `json:"segment"`
	Steps   []tokenizerStepJSON `json:"steps"`
}

type tokenizerStepJSON struct {
	Name  string   `json:"name"`
	Items []string `json:"items"`
}

const mostItems = 2000 // of a step

// try answers POST /v1/try.
func (c *Console) try(r *http.Request, b *tryJSON) (status int, answer any, err error) {
	l, err := c.lens()
	if err != nil {
		return 0, nil, err
	}
	var document wire.Document
	if err := b.read(l, &document); err != nil {
		return 0, nil, err
	}
	var out triedJSON
	out.Now, err = c.view(r.Context(), l, &document.Input, document.ID, contrast{b.For, b.Against})
	if err == nil {
		out.Steps, err = l.steps(&document.Input)
	}
	return http.StatusOK, out, err
}

// read reads the document of a request.
func (b *tryJSON) read(l *lens, into *wire.Document) error {
	switch b.Format {
	case wire.FormatJSON:
		return l.decoder.Document(&stream.Record{Value: []byte(b.Document)}, into)
	case wire.FormatText:
		into.Input.Segments = []model.Segment{{Mark: l.firstMark(), Text: []byte(b.Document)}}
	case wire.FormatMail:
		if _, ok := mail.Read(&into.Input, []byte(b.Document), true); !ok {
			return wire.Rejectf(wire.BadMail, "the document is no mail: want the header lines, an empty line and the text")
		}
	default:
		return badRequest("format %q: want text, mail or json", b.Format)
	}
	into.Input.Numbers = make([]model.Number, len(l.spec.NumberFields()))
	into.Input.Categories = make([]model.Category, len(l.spec.CategoryFields()))
	return nil
}

// firstMark returns the mark of the first field of the text.
func (l *lens) firstMark() string {
	if marks := l.spec.TextMarks(); len(marks) > 0 {
		return marks[0]
	}
	return ""
}

// steps returns what the tokenizer does with each part of a document.
func (l *lens) steps(in *model.Input) ([]segmentStepsJSON, error) {
	out := []segmentStepsJSON{}
	if l.spec.Text == nil {
		return out, nil
	}
	t, err := l.spec.Tokenizer()
	if err != nil {
		return nil, err
	}
	for i, segment := range in.Segments {
		if segment.Text == nil {
			continue
		}
		scanner := t.NewScanner()
		steps := scanner.Steps(&segment)
		part := segmentStepsJSON{Segment: l.segmentName(i, len(in.Segments), segment.Mark), Steps: []tokenizerStepJSON{}}
		for _, s := range steps {
			part.Steps = append(part.Steps, tokenizerStepJSON{s.Name, texts(s.Items[:min(len(s.Items), mostItems)])})
		}
		out = append(out, part)
	}
	return out, nil
}
