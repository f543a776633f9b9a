package recount

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"bayestream/internal/core/spec"

	"github.com/twmb/franz-go/pkg/kgo"
)

// learned is a document that counts.
type learned struct {
	label  string
	weight int64
	value  string // the JSON of its content
}

// entry is a document in the ledger of a partition.
type entry struct {
	learned

	id string
}

// Count is the recount of a training topic.
type Count struct {
	Ledgered, Replaced, Forgotten, Unknown, Evicted, Learned int
	Dead                                                     map[string]string // reason by place

	limit     int
	documents [][]*kgo.Record // that refs point at, by partition
	topic     string          // of the documents
	counted   map[learned]int64
}

// New returns a recount with a ledger of so many documents for each partition. Refs point into
// documents, whose topic has a name.
func New(limit int, topic string, documents [][]*kgo.Record) *Count {
	return &Count{limit: limit, topic: topic, documents: documents, Dead: map[string]string{},
		counted: map[learned]int64{}}
}

// Partition counts the records of a partition, in their order.
func (c *Count) Partition(records []*kgo.Record) error {
	var ledger []entry // the oldest first
	at := map[string]bool{}
	for _, rec := range records {
		if reason := expected(rec); reason != "" {
			c.Dead[Place(rec)] = reason
			continue
		}
		t, err := parse(rec)
		if err != nil {
			return err
		}
		doc, reason, err := c.document(rec, t)
		if err != nil {
			return err
		}
		if reason != "" {
			c.Dead[Place(rec)] = reason
			continue
		}
		ledger = c.apply(ledger, at, t, doc)
	}
	c.Ledgered += len(ledger)
	return nil
}

// apply counts one good record and returns the ledger behind it.
func (c *Count) apply(ledger []entry, at map[string]bool, t *training, doc learned) []entry {
	id := t.id()
	if id == "" {
		c.learn(doc)
		return ledger
	}
	if at[id] {
		i := slices.IndexFunc(ledger, func(e entry) bool { return e.id == id })
		c.unlearn(ledger[i].learned)
		ledger = slices.Delete(ledger, i, i+1)
		delete(at, id)
		if t.Label == nil {
			c.Forgotten++
			return ledger
		}
		c.Replaced++
	} else if t.Label == nil {
		c.Unknown++
		return ledger
	}
	c.learn(doc)
	ledger = append(ledger, entry{doc, id})
	at[id] = true
	if len(ledger) > c.limit {
		delete(at, ledger[0].id)
		ledger = ledger[1:]
		c.Evicted++
	}
	return ledger
}

func (c *Count) learn(d learned) {
	c.Learned++
	c.counted[key(d)] += d.weight
}

func (c *Count) unlearn(d learned) { c.counted[key(d)] -= d.weight }

// key is a document without its weight: those of equal content and label are counted together.
func key(d learned) learned {
	d.weight = 0
	return d
}

// document returns what a good record learns, or why its ref cannot be followed.
func (c *Count) document(rec *kgo.Record, t *training) (d learned, reason string, err error) {
	if t.Label == nil {
		return d, "", nil
	}
	from := t.content
	if t.Ref != nil {
		target := c.find(t.Ref.Topic, t.Ref.Partition, t.Ref.Offset)
		if target == nil || target.Value == nil {
			return d, "ref_gone", nil
		}
		if reason := expected(target); reason != "" {
			return d, reason, nil
		}
		from = content{}
		if err := json.Unmarshal(target.Value, &from); err != nil {
			return d, "", fmt.Errorf("%s is not what its writer meant: %w", Place(target), err)
		}
	}
	weight, err := t.weight()
	if err != nil {
		return d, "", fmt.Errorf("%s: %w", Place(rec), err)
	}
	value, err := json.Marshal(from)
	return learned{label: *t.Label, weight: weight, value: string(value)}, "", err
}

func (c *Count) find(topic string, partition int32, offset int64) *kgo.Record {
	if topic != c.topic || int(partition) >= len(c.documents) {
		return nil
	}
	records := c.documents[partition]
	i, ok := slices.BinarySearchFunc(records, offset,
		func(r *kgo.Record, offset int64) int { return cmp.Compare(r.Offset, offset) })
	if !ok {
		return nil
	}
	return records[i]
}

// Counts returns the counts, with the tokenizer of the program.
func (c *Count) Counts() (Counts, error) {
	tokenizer, err := spec.Default().Tokenizer()
	if err != nil {
		return nil, err
	}
	scanner := tokenizer.NewScanner()
	words := func(text string) (terms []string) {
		scanner.Scan([]byte(text), "", func(term []byte) { terms = append(terms, string(term)) })
		return terms
	}
	counts := Counts{}
	for doc, weight := range c.counted {
		if weight != 0 {
			if err := counts.add(doc, weight, words); err != nil {
				return nil, err
			}
		}
	}
	counts.drop()
	return counts, nil
}
