package console

import (
	"math"
	"time"

	"bayestream/internal/shell/wire"
)

// A type whose name ends in JSON is a schema of openapi.yaml, under the name before that.

type decisionJSON struct {
	Number      int64                `json:"number"`
	Place       string               `json:"place"`
	Time        time.Time            `json:"time"`
	ID          string               `json:"id"`
	Source      *string              `json:"source"`
	Label       *string              `json:"label"`
	Status      string               `json:"status"`
	Confidence  *float64             `json:"confidence"`
	Margin      *float64             `json:"margin"`
	Posterior   map[string]float64   `json:"posterior"`
	Snippet     *string              `json:"snippet"`
	Evidence    []evidenceJSON       `json:"evidence"`
	EvidenceBy  *string              `json:"evidence_by"`
	ModelOffset *int64               `json:"model_offset"`
	Truth       *string              `json:"truth"`
	Correction  *correctionStateJSON `json:"correction"`
	Skipped     int64                `json:"skipped"`
}

type evidenceJSON struct {
	Term   string   `json:"term,omitempty"`
	As     []string `json:"as,omitempty"`
	Block  string   `json:"block,omitempty"`
	Fields []string `json:"fields,omitempty"`
	Value  string   `json:"value,omitempty"`
	Weight *float64 `json:"weight"`
}

// correctionStateJSON is what became of the newest correction of a document.
type correctionStateJSON struct {
	Place   string  `json:"place"`
	Action  string  `json:"action"`
	Label   *string `json:"label"`
	Outcome string  `json:"outcome"`
	Reason  string  `json:"reason"`
}

type historyJSON struct {
	Decisions []decisionJSON `json:"decisions"`
	Next      *int64         `json:"next"`
	Kept      int            `json:"kept"`
	More      bool           `json:"more"`
}

// viewJSON is a document as the model of this moment sees it.
type viewJSON struct {
	Decision *wire.Decision `json:"decision"` // nil: the words are hashed
	Compared *wire.Decision `json:"compared"` // for the classes that were asked for
	Terms    []termJSON     `json:"terms"`
	Segments []segmentJSON  `json:"segments"`
	Numbers  []numbersJSON  `json:"numbers"`
	Values   []valueJSON    `json:"values"`
	Flip     *flipJSON      `json:"flip"`
	Hashed   bool           `json:"hashed"`
}

type termJSON struct {
	Term   string   `json:"term"`
	As     []string `json:"as"`
	Count  int      `json:"count"`
	Known  bool     `json:"known"`
	Weight *float64 `json:"weight"`
	Plain  *float64 `json:"plain"`
}

type segmentJSON struct {
	Name   string      `json:"name"`
	Mark   string      `json:"mark"`
	Lines  bool        `json:"lines"`
	Pieces []pieceJSON `json:"pieces"`
	Cut    int         `json:"cut"`
}

// pieceJSON is a piece of text, and the indexes of the terms that stand there.
type pieceJSON struct {
	Text  string `json:"text"`
	Terms []int  `json:"terms"`
}

type numbersJSON struct {
	Block     string            `json:"block"`
	Kind      string            `json:"kind"`
	Fields    []numberFieldJSON `json:"fields"`
	Weight    *float64          `json:"weight"`
	Abstained bool              `json:"abstained"`
}

type numberFieldJSON struct {
	Field   string            `json:"field"`
	Value   *float64          `json:"value"`
	Weight  *float64          `json:"weight"`
	Classes []classNumberJSON `json:"classes"`
}

type classNumberJSON struct {
	Class      string   `json:"class"`
	Mean       *float64 `json:"mean"`
	Deviation  *float64 `json:"deviation"`
	LogDensity *float64 `json:"log_density"`
	Share      *float64 `json:"share"`
}

// valueJSON is what a category or a histogram says of a document.
type valueJSON struct {
	Block  string           `json:"block"`
	Field  string           `json:"field"`
	Value  *string          `json:"value"`
	Votes  bool             `json:"votes"`  // it has a part in the decision
	Weight *float64         `json:"weight"` // null: it has none, or it is infinite
	Counts []classCountJSON `json:"counts"`
}

type classCountJSON struct {
	Class string `json:"class"`
	Count int64  `json:"count"`
}

// flipJSON is the fewest terms without which another class would win.
type flipJSON struct {
	Without []string `json:"without"`
	Label   string   `json:"label"`
	Margin  float64  `json:"margin"`
	Words   int      `json:"words"`
}

type messageJSON struct {
	ID         string               `json:"id"`
	Place      *string              `json:"place"`
	Source     *string              `json:"source"`
	Time       *time.Time           `json:"time"`
	Key        *string              `json:"key"`
	Found      bool                 `json:"found"`
	WhyNot     string               `json:"why_not"`
	Decided    *wire.Decision       `json:"decided"`
	Now        *viewJSON            `json:"now"`
	Learned    *learnedJSON         `json:"learned"`
	Correction *correctionStateJSON `json:"correction"`
	Before     *neighbourJSON       `json:"before"`
	After      *neighbourJSON       `json:"after"`
	May        mayJSON              `json:"may"`
}

// learnedJSON is the label that the model has counted for an id.
type learnedJSON struct {
	Label     *string    `json:"label"`
	Topic     string     `json:"topic"`
	Partition int        `json:"partition"`
	Offset    int64      `json:"offset"`
	Time      *time.Time `json:"time"`
}

// neighbourJSON is the decision before or after one.
type neighbourJSON struct {
	Number int64  `json:"number"`
	Place  string `json:"place"`
}

type mayJSON struct {
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
