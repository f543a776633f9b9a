package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bayestream/internal/shell/httpapi"
)

// Judge sets the findings: what stops the most comes first.
func (s *Status) Judge() {
	s.Findings = []Finding{}
	if s.Away != "" {
		s.add(LevelBad, "brokers", "The brokers do not answer: "+s.Away,
			"start Kafka, or name it with --brokers; without Kafka: bayestream serve")
		return
	}
	s.judgeTrouble()
	isNew := s.judgeStart()
	s.judgeWorkers()
	if !isNew {
		s.judgeInput(s.topic(training), httpapi.Ingest, "learns")
		s.judgeInput(s.topic(documents), httpapi.Classify, "labels")
	}
	if d := s.topic(documents); s.Learned != nil && *s.Learned > 0 && d.Trouble == "" && d.Records == 0 {
		s.add(LevelNote, documents, "No document to label was sent to "+d.Name+" yet.", "bayestream send --documents FILE")
	}
	if s.Agree != nil && !*s.Agree {
		s.add(LevelBad, "replicas", "Replicas at one offset of the model log have different counts.", "bayestream verify")
	}
	if n := s.Letters.Total; n > 0 {
		s.add(LevelNote, dead, keeps(n), "bayestream dead")
	}
	if s.Drifts > 0 {
		s.add(LevelNote, "drift", changed(s.Drifts, s.Drifted.UTC().Format("2006-01-02 15:04")),
			"the page Quality of bayestream console")
	}
}

func (s *Status) add(level, part, says, next string) {
	s.Findings = append(s.Findings, Finding{Level: level, Part: part, Says: says, Next: next})
}

// judgeTrouble finds the topics that cannot be read, mostly all for one reason.
func (s *Status) judgeTrouble() {
	var names []string
	var first Topic
	for _, t := range s.Topics {
		if t.Trouble != "" {
			names = append(names, t.Name)
			first = cmp.Or(first, t)
		}
	}
	says := "The topic cannot be read: " + first.Trouble
	switch len(names) {
	case 0:
		return
	case 1:
	default:
		says = strings.Join(names, ", ") + " cannot be read. Of " + first.Name + ": " + first.Trouble
	}
	s.add(LevelBad, first.Name, says, "give the user the rights of docs/security.md")
}

// judgeStart reports whether the pipeline has not begun yet, or lacks a topic.
func (s *Status) judgeStart() bool {
	t, m := s.topic(training), s.topic(modelLog)
	if t.Deleted {
		s.add(LevelBad, t.Name, "The topic "+t.Name+" was deleted, and the model has counted it.",
			"bayestream ingest --create-topics --on-source-change=continue keeps the counts, =recount empties the model first")
	}
	if m.Deleted {
		s.add(LevelBad, m.Name, "The topic "+m.Name+" was deleted: only workers and their model files have the counts.",
			"keep them: bayestream copy http://HOST:PORT/v1/snapshot FILE. Then create the topic: "+
				"a running ingest counts again what "+t.Name+" holds")
	}
	switch {
	case t.Trouble != "" || m.Trouble != "":
		return false
	case t.Deleted || m.Deleted:
	case t.Partitions == 0 || m.Partitions == 0:
		missing := t.Name
		if t.Partitions > 0 {
			missing = m.Name
		}
		s.add(LevelWarn, "start", "The topic "+missing+" does not exist yet.",
			"bayestream ingest --create-topics --spec=FILE (bayestream init writes one)")
	case t.Records == 0 && s.Learned != nil && *s.Learned == 0:
		s.add(LevelWarn, "start", "Nothing was sent to "+t.Name+" yet.", "bayestream send FILE")
	default:
		return false
	}
	return true
}

// judgeWorkers finds workers that were named and do not answer, and those that are not ready.
func (s *Status) judgeWorkers() {
	for _, w := range s.Workers {
		name := cmp.Or(w.Role, "the worker")
		switch {
		case !w.Up && w.Named:
			s.add(LevelBad, w.label(), fmt.Sprintf("%s at %s does not answer: %s", name, w.Name, w.Detail),
				"start it, or look at the end of its log")
		case w.Up && !w.Ready:
			s.add(LevelWarn, w.label(), fmt.Sprintf("%s at %s is not ready: %s", name, w.Name, w.Detail), w.next())
		}
	}
}

// judgeInput finds what goes wrong between a topic and the worker that reads it.
func (s *Status) judgeInput(t Topic, role, does string) {
	if t.Waiting == nil {
		s.judgeUnknown(t)
		return
	}
	waiting := *t.Waiting
	runs := slices.ContainsFunc(s.Workers, func(w Worker) bool { return w.Up && w.Role == role })
	if 2*t.Refused > t.Recent {
		why, next := "", "bayestream dead"
		if l := s.mostFrequent(role); l != nil {
			why, next = ", most of them "+l.Reason+": "+l.Message, next+" --reason="+l.Reason
		}
		s.add(LevelWarn, t.Name, fmt.Sprintf("%d of the last %d records of %s became dead letters%s.", t.Refused, t.Recent,
			t.Name, why), next+"; once the cause is mended, the same with --send-again")
	}
	switch {
	case waiting == 0:
	case t.Still != nil && *t.Still:
		s.add(LevelWarn, t.Name, fmt.Sprintf("%s, and nobody %s them.", waits(waiting, t.Name), does),
			"is "+role+" running, and ready? Its log says what it does")
	case t.Still == nil && !runs:
		s.add(LevelWarn, t.Name, fmt.Sprintf("%s, and no %s answers%s.", waits(waiting, t.Name), role, s.asked(role)),
			"bayestream "+role+", or name its address: bayestream status --workers=HOST:PORT")
	default:
		s.add(LevelNote, t.Name, waits(waiting, t.Name)+", to be taken next.", "")
	}
}

// judgeUnknown finds a topic of which nobody says whether records wait. Topics that cannot be read
// are found before.
func (s *Status) judgeUnknown(t Topic) {
	if t.Records == 0 || slices.ContainsFunc(s.Topics, func(t Topic) bool { return t.Trouble != "" }) {
		return
	}
	s.add(LevelWarn, t.Name, "It is not known whether records of "+t.Name+" wait: the start of "+s.topic(modelLog).Name+
		" was deleted, and no worker says what it has counted.",
		"bayestream ingest, or name the address of a worker: bayestream status --workers=HOST:PORT")
}

// keeps says how many dead letters there are.
func keeps(n int64) string {
	if n == 1 {
		return "1 dead letter is kept."
	}
	return fmt.Sprintf("%d dead letters are kept.", n)
}

// changed says how often the stream has changed.
func changed(n int64, last string) string {
	if n == 1 {
		return "The stream has changed once, on " + last + "."
	}
	return fmt.Sprintf("The stream has changed %d times, last on %s.", n, last)
}

// waits says how many records of a topic wait.
func waits(n int64, topic string) string {
	if n == 1 {
		return "1 record of " + topic + " waits"
	}
	return fmt.Sprintf("%d records of %s wait", n, topic)
}

// mostFrequent returns the most frequent dead letters of a worker, nil if there are none.
func (s *Status) mostFrequent(stage string) *Letter {
	for i := range s.Letters.Reasons {
		if s.Letters.Reasons[i].Stage == stage {
			return &s.Letters.Reasons[i]
		}
	}
	return nil
}

// asked says where a worker was looked for that nobody named: it may run elsewhere.
func (s *Status) asked(role string) string {
	for _, w := range s.Workers {
		if w.Role == role && !w.Named {
			return " at " + w.Name
		}
	}
	return ""
}
