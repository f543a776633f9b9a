package classify

import (
	"slices"

	"bayestream/internal/shell/config"
	"bayestream/internal/shell/stream"
)

// routes say to which topic an answer goes.
type routes struct {
	topics []string       // each once, sorted
	labels map[string]int // the index of their topic
	other  int            // the index of the topic of all other labels, and of no label
}

// newRoutes returns the routes of --route.
func newRoutes(c *config.Classify) routes {
	byLabel := c.Routes()
	other, found := byLabel[config.OtherLabels]
	if !found {
		other = c.LabelsTopic
	}
	r := routes{topics: []string{other}, labels: map[string]int{}}
	for _, topic := range byLabel {
		r.topics = append(r.topics, topic)
	}
	slices.Sort(r.topics)
	r.topics = slices.Compact(r.topics)
	for label, topic := range byLabel {
		r.labels[label] = slices.Index(r.topics, topic)
	}
	r.other = slices.Index(r.topics, other)
	return r
}

// of returns the index of the topic for a label, "" for none.
func (r *routes) of(label string) int {
	if topic, found := r.labels[label]; found && label != config.OtherLabels {
		return topic
	}
	return r.other
}

// routed are the answers of a batch that go to one topic.
type routed struct {
	topic   string
	records []stream.Record
	origins []int // index of the document of each of them
}

// sort sets p.sorted to the first n answers that are no dead letters, by topic. Those to null
// documents go to each topic: the record that they delete may be in any.
func (p *partition) sort(n int) {
	if p.sorted == nil {
		p.sorted = make([]routed, len(p.routes.topics))
	}
	for t := range p.sorted {
		p.sorted[t] = routed{p.routes.topics[t], p.sorted[t].records[:0], p.sorted[t].origins[:0]}
	}
	for i := range p.answers[:n] {
		a := &p.answers[i]
		switch {
		case a.dead:
		case a.status != "":
			p.sorted[p.routes.of(a.label)].add(&a.record, i)
		default:
			for t := range p.sorted {
				p.sorted[t].add(&a.record, i)
			}
		}
	}
}

// add adds the answer to the i-th document.
func (r *routed) add(answer *stream.Record, i int) {
	r.records = append(r.records, *answer)
	r.origins = append(r.origins, i)
}
