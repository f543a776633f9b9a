package recount

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"

	"bayestream/test/chaos/kafka"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Expect is the header in which the writer of a bad record says what is wrong with it: the reason
// of its dead letter.
const Expect = "chaos-expect"

// content is what a document is counted by.
type content struct {
	Text       string                 `json:"text"`
	Numbers    map[string]json.Number `json:"numbers"`
	Categories map[string]*string     `json:"categories"`
}

// training is a record of the training topic.
type training struct {
	content

	ID     json.RawMessage `json:"id"`
	Label  *string         `json:"label"`
	Weight *json.Number    `json:"weight"`
	Ref    *struct {
		Topic     string `json:"topic"`
		Partition int32  `json:"partition"`
		Offset    int64  `json:"offset"`
	} `json:"ref"`
}

// parse reads a training record that its writer holds to be good.
func parse(rec *kgo.Record) (*training, error) {
	var t training
	if err := json.Unmarshal(rec.Value, &t); err != nil {
		return nil, fmt.Errorf("%s is not what its writer meant: %w", Place(rec), err)
	}
	return &t, nil
}

// id returns the name of a document; an integer is the same as its digits in quotes.
func (t *training) id() string {
	var s string
	if json.Unmarshal(t.ID, &s) == nil {
		return s
	}
	return string(t.ID)
}

func (t *training) weight() (int64, error) {
	if t.Weight == nil {
		return 1, nil
	}
	return t.Weight.Int64()
}

// Place returns where a record stands, as bayestream writes it.
func Place(rec *kgo.Record) string {
	return rec.Topic + "/" + strconv.Itoa(int(rec.Partition)) + "/" + strconv.FormatInt(rec.Offset, 10)
}

// expected returns the reason of the dead letter that a record becomes, "" if it is good.
func expected(rec *kgo.Record) string {
	reason, _ := kafka.Header(rec, Expect)
	return reason
}

// Good reports whether the writer of a record holds it to be good.
func Good(rec *kgo.Record) bool { return expected(rec) == "" }

// digits is how many decimals the numbers of the spec keep.
const digits = 9

// scaled returns a number in units of 1e-9. The suite writes no number that has more decimals.
func scaled(n json.Number) (*big.Int, error) {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return nil, fmt.Errorf("%q is not a number", n)
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(digits), nil)))
	if !r.IsInt() {
		return nil, fmt.Errorf("%s has more than %d decimals", n, digits)
	}
	return r.Num(), nil
}
