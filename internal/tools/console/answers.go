package console

import (
	"math"
	"time"

	"bayestream/internal/shell/wire"
)

// The types of this file are the schemas of openapi.yaml, under their names there.

// Decision is one decision, in short.
type Decision struct {
	Number      int64              `json:"number"`
	Place       string             `json:"place"`
	Time        time.Time          `json:"time"`
	ID          string             `json:"id"`
	Source      *string            `json:"source"`
	Label       *string            `json:"label"`
	Status      string             `json:"status"`
	Confidence  *float64           `json:"confidence"`
	Margin      *float64           `json:"margin"`
	Posterior   map[string]float64 `json:"posterior"`
	Snippet     *string            `json:"snippet"`
	Evidence    []Evidence         `json:"evidence"`
	EvidenceBy  *string            `json:"evidence_by"`
	ModelOffset *int64             `json:"model_offset"`
	Truth       *string            `json:"truth"`
	Correction  *CorrectionState   `json:"correction"`
	Skipped     int64              `json:"skipped"`
}

// Evidence is a term or a block with its weight.
type Evidence struct {
	Term   string   `json:"term,omitempty"`
	As     []string `json:"as,omitempty"`
	Block  string   `json:"block,omitempty"`
	Fields []string `json:"fields,omitempty"`
	Value  string   `json:"value,omitempty"`
	Weight *float64 `json:"weight"`
}

// CorrectionState is what became of the newest correction of a document.
type CorrectionState struct {
	Place   string  `json:"place"`
	Action  string  `json:"action"`
	Label   *string `json:"label"`
	Outcome string  `json:"outcome"`
	Reason  string  `json:"reason"`
}

// History is a page of decisions.
type History struct {
	Decisions []Decision `json:"decisions"`
	Next      *int64     `json:"next"`
	Kept      int        `json:"kept"`
	More      bool       `json:"more"`
}

// View is a document as the model of this moment sees it.
type View struct {
	Decision *wire.Decision `json:"decision"` // nil: the words are hashed
	Compared *wire.Decision `json:"compared"` // for the classes that were asked for
	Terms    []Term         `json:"terms"`
	Segments []Segment      `json:"segments"`
	Numbers  []Numbers      `json:"numbers"`
	Values   []Value        `json:"values"`
	Flip     *Flip          `json:"flip"`
	Hashed   bool           `json:"hashed"`
}

// Term is a term of a document.
type Term struct {
	Term   string   `json:"term"`
	As     []string `json:"as"`
	Count  int      `json:"count"`
	Known  bool     `json:"known"`
	Weight *float64 `json:"weight"`
	Plain  *float64 `json:"plain"`
}

// Segment is a part of the text, in pieces.
type Segment struct {
	Name   string  `json:"name"`
	Mark   string  `json:"mark"`
	Lines  bool    `json:"lines"`
	Pieces []Piece `json:"pieces"`
	Cut    int     `json:"cut"`
}

// Piece is a piece of text, and the indexes of the terms that stand there.
type Piece struct {
	Text  string `json:"text"`
	Terms []int  `json:"terms"`
}

// Numbers is what a block of numbers says of a document.
type Numbers struct {
	Block     string        `json:"block"`
	Kind      string        `json:"kind"`
	Fields    []NumberField `json:"fields"`
	Weight    *float64      `json:"weight"`
	Abstained bool          `json:"abstained"`
}

// NumberField is one number of a document, and where it stands among the classes.
type NumberField struct {
	Field   string        `json:"field"`
	Value   *float64      `json:"value"`
	Weight  *float64      `json:"weight"`
	Classes []ClassNumber `json:"classes"`
}

// ClassNumber is the density of a number in a class.
type ClassNumber struct {
	Class      string   `json:"class"`
	Mean       *float64 `json:"mean"`
	Deviation  *float64 `json:"deviation"`
	LogDensity *float64 `json:"log_density"`
	Share      *float64 `json:"share"`
}

// Value is what a category or a histogram says of a document.
type Value struct {
	Block  string       `json:"block"`
	Field  string       `json:"field"`
	Value  *string      `json:"value"`
	Votes  bool         `json:"votes"`  // it has a part in the decision
	Weight *float64     `json:"weight"` // null: it has none, or it is infinite
	Counts []ClassCount `json:"counts"`
}

// ClassCount is a count in a class.
type ClassCount struct {
	Class string `json:"class"`
	Count int64  `json:"count"`
}

// Flip is the fewest terms without which another class would win.
type Flip struct {
	Without []string `json:"without"`
	Label   string   `json:"label"`
	Margin  float64  `json:"margin"`
	Words   int      `json:"words"`
}

// Message is one message with its decision.
type Message struct {
	ID         string           `json:"id"`
	Place      *string          `json:"place"`
	Source     *string          `json:"source"`
	Time       *time.Time       `json:"time"`
	Key        *string          `json:"key"`
	Found      bool             `json:"found"`
	WhyNot     string           `json:"why_not"`
	Decided    *wire.Decision   `json:"decided"`
	Now        *View            `json:"now"`
	Learned    *Learned         `json:"learned"`
	Correction *CorrectionState `json:"correction"`
	Before     *Neighbour       `json:"before"`
	After      *Neighbour       `json:"after"`
	May        May              `json:"may"`
}

// Learned is the label that the model has counted for an id.
type Learned struct {
	Label     *string    `json:"label"`
	Topic     string     `json:"topic"`
	Partition int        `json:"partition"`
	Offset    int64      `json:"offset"`
	Time      *time.Time `json:"time"`
}

// Neighbour is the decision before or after one.
type Neighbour struct {
	Number int64  `json:"number"`
	Place  string `json:"place"`
}

// May says what may be done about a message.
type May struct {
	Correct bool   `json:"correct"`
	Forget  bool   `json:"forget"`
	Undo    bool   `json:"undo"`
	WhyNot  string `json:"why_not"`
}

// finite returns a number for JSON, nil for one that is not finite.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// texts returns a list that is not null in JSON.
func texts(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
