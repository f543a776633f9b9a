package recount

import (
	"bytes"
	"fmt"
	"strings"

	"bayestream/test/chaos/kafka"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Output is what was found in the topics that the workers write.
type Output struct {
	Decisions, Duplicates, DisOrder  int // disorder: decisions behind a later one, that are there for the first time
	DeadLetters, DuplicateDeadLetter int
	Wrong                            []string
}

const maxWrong = 20

func (o *Output) wrong(format string, a ...any) {
	if len(o.Wrong) < maxWrong {
		o.Wrong = append(o.Wrong, fmt.Sprintf(format, a...))
	}
}

// Labels checks that each good document has a decision, in its partition, under its key and with
// its time, in the order of the documents. Duplicates are counted.
func (o *Output) Labels(documents, labels [][]*kgo.Record) {
	for p := range documents {
		o.partition(documents[p], labels[p])
	}
}

func (o *Output) partition(documents, labels []*kgo.Record) {
	want := map[string]*kgo.Record{}
	for _, doc := range documents {
		if expected(doc) == "" {
			want[Place(doc)] = doc
		}
	}
	seen := map[string]bool{}
	last := int64(-1)
	for _, rec := range labels {
		source, _ := kafka.Header(rec, "bayestream-source")
		doc := want[source]
		switch {
		case doc == nil:
			o.wrong("a decision for %q, which is no good document of this partition", source)
			continue
		case seen[source]:
			o.Duplicates++
			continue
		}
		seen[source] = true
		o.Decisions++
		if doc.Offset < last {
			o.DisOrder++
		}
		last = max(last, doc.Offset)
		if !bytes.Equal(rec.Key, doc.Key) || !rec.Timestamp.Equal(doc.Timestamp) || (rec.Value == nil) != (doc.Value == nil) {
			o.wrong("the decision for %s has another key, time or emptiness than its document", source)
		}
	}
	for source := range want {
		if !seen[source] {
			o.wrong("no decision for %s", source)
		}
	}
}

// Dead checks that the dead letters are those of the places in want, which says the reason of each.
func (o *Output) Dead(letters [][]*kgo.Record, want map[string]string) {
	seen := map[string]bool{}
	for _, partition := range letters {
		for _, rec := range partition {
			place, reason := letterOf(rec)
			switch {
			case want[place] == "":
				o.wrong("a dead letter for %s (%s), which is good", place, reason)
			case seen[place]:
				o.DuplicateDeadLetter++
			case want[place] != reason:
				o.wrong("the dead letter for %s says %s, want %s", place, reason, want[place])
			}
			seen[place] = true
		}
	}
	for place, reason := range want {
		if !seen[place] {
			o.wrong("no dead letter for %s (%s)", place, reason)
		}
	}
	o.DeadLetters = len(seen)
}

func letterOf(rec *kgo.Record) (place, reason string) {
	var parts []string
	for _, name := range []string{"topic", "partition", "offset"} {
		value, _ := kafka.Header(rec, "__connect.errors."+name)
		parts = append(parts, value)
	}
	class, _ := kafka.Header(rec, "__connect.errors.exception.class.name")
	return strings.Join(parts, "/"), strings.TrimPrefix(class, "bayestream.")
}

// BadDocuments adds the documents that must become dead letters to want.
func BadDocuments(documents [][]*kgo.Record, want map[string]string) {
	for _, partition := range documents {
		for _, doc := range partition {
			if reason := expected(doc); reason != "" {
				want[Place(doc)] = reason
			}
		}
	}
}
