// Package status tells how a pipeline is: its topics, what waits in them, what became dead letters,
// its workers, and the next step for a person. The verb status and the console show it.
package status

import (
	"slices"
	"time"
)

// Topics are the topics of a pipeline.
type Topics struct {
	Model     string
	Training  string
	Documents string
	Labels    []string // all that decisions are routed to
	Dead      string
}

// Status is how a pipeline is.
type Status struct {
	Away     string    `json:"away,omitempty"` // why the brokers do not answer
	Topics   []Topic   `json:"topics"`
	Learned  *int64    `json:"learned"`  // documents in the counts; nil: not known
	Classes  *int      `json:"classes"`  // that have some; nil: not known
	Labelled *int64    `json:"labelled"` // documents; nil: not known
	Drifts   int64     `json:"drifts"`
	Drifted  time.Time `json:"drifted,omitzero"` // the last time
	Letters  Letters   `json:"dead_letters"`
	Workers  []Worker  `json:"workers"`
	Agree    *bool     `json:"agree"` // the replicas at one offset; nil: no two are at one
	Findings []Finding `json:"findings"`
}

// Roles of topics.
const (
	training  = "training"
	documents = "documents"
	labels    = "labels"
	modelLog  = "model"
	dead      = "dead letters"
)

// Topic is a topic and what is to be done in it.
type Topic struct {
	Role       string `json:"role"`
	Name       string `json:"name"`
	Partitions int    `json:"partitions"`        // 0: it does not exist
	Deleted    bool   `json:"deleted,omitempty"` // it does not exist, and did
	Records    int64  `json:"records"`           // offsets that it holds: records, and marks of transactions
	Waiting    *int64 `json:"waiting"`           // records to learn or to label; nil: not known, or no input
	Still      *bool  `json:"still"`             // some wait, and for ten seconds none was taken; nil: only looked at once
	Recent     int64  `json:"recent"`            // of the last records that were taken, at most a hundred of each partition
	Refused    int64  `json:"refused"`           // so many became dead letters
	Trouble    string `json:"trouble,omitempty"`
}

// Letters are dead letters by reason, the most frequent first.
type Letters struct {
	Total   int64    `json:"total"`
	Read    int64    `json:"read"` // the newest of them, which have reasons
	Reasons []Letter `json:"reasons"`
}

// Letter counts the dead letters of a reason, of those that were read.
type Letter struct {
	Reason  string    `json:"reason"`
	Stage   string    `json:"stage"`
	Records int64     `json:"records"`
	Newest  time.Time `json:"newest"`
	At      string    `json:"at"` // partition/offset of the last one
	ID      string    `json:"id"` // its key
	Message string    `json:"message"`
	Text    string    `json:"text"` // the beginning of its value
}

// Levels of findings.
const (
	LevelNote = "note" // nothing to do
	LevelWarn = "warn"
	LevelBad  = "bad"
)

// Finding is what a person should know, and what to do then.
type Finding struct {
	Level string `json:"level"`
	Part  string `json:"part"`
	Says  string `json:"says"`
	Next  string `json:"next"` // a command, or ""
}

// IsWell reports whether nothing needs a person.
func (s *Status) IsWell() bool {
	return !slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Level != LevelNote })
}

// Summary returns the first finding in one sentence or two, preferably one that needs a person.
func (s *Status) Summary() string {
	best := Finding{Says: "Nothing waits."}
	if len(s.Findings) > 0 {
		best = s.Findings[0]
	}
	if i := slices.IndexFunc(s.Findings, func(f Finding) bool { return f.Level != LevelNote }); i >= 0 {
		best = s.Findings[i]
	}
	if best.Next == "" {
		return best.Says
	}
	return best.Says + " Next: " + best.Next
}

// Waiting returns how many training records and documents wait; nil: it is not known.
func (s *Status) Waiting() (inTraining, inDocuments *int64) {
	return s.topic(training).Waiting, s.topic(documents).Waiting
}

// IsInput reports whether a worker takes the records of the topic.
func (t *Topic) IsInput() bool { return t.Role == training || t.Role == documents }

// isAbsent reports whether the brokers say that there is no such topic.
func (t *Topic) isAbsent() bool { return t.Partitions == 0 && t.Trouble == "" }

// topic returns the topic of a role, one that does not exist if there is none.
func (s *Status) topic(role string) Topic {
	for _, t := range s.Topics {
		if t.Role == role {
			return t
		}
	}
	return Topic{Role: role}
}
