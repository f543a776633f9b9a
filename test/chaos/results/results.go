// Package results keeps what runs of the chaos suite have found, a line of JSON for each, and makes
// the table of test/RESULTS.md of it.
package results

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// Result is one run of a row.
type Result struct {
	Row     string    `json:"row"`
	At      time.Time `json:"at"`
	Commit  string    `json:"commit"`
	Seed    uint64    `json:"seed"`
	Seconds int       `json:"seconds"`
	Load    float64   `json:"load,omitempty"` // of the machine, over a minute, at the end: times mean little on a busy one

	Faults   map[string]int       `json:"faults"`             // by kind
	Took     map[string][]float64 `json:"took,omitempty"`     // seconds until the work went on, by kind
	Outcomes map[string]int       `json:"outcomes,omitempty"` // how often something allowed was seen
	Most     map[string]int       `json:"most,omitempty"`     // the largest that was measured

	Training         int64 `json:"training,omitempty"`
	Documents        int64 `json:"documents,omitempty"`
	Replaced         int   `json:"replaced,omitempty"`
	Forgotten        int   `json:"forgotten,omitempty"`
	Evicted          int   `json:"evicted,omitempty"`
	Integers         int   `json:"integers,omitempty"` // compared on each replica
	Decisions        int   `json:"decisions,omitempty"`
	DecisionsTwice   int   `json:"decisions_twice,omitempty"`
	DeadLetters      int   `json:"dead_letters,omitempty"`
	DeadLettersTwice int   `json:"dead_letters_twice,omitempty"`

	Wrong []string `json:"wrong,omitempty"`
}

// New returns the result of a run that begins now.
func New(row, commit string, seed uint64) *Result {
	return &Result{
		Row: row, At: time.Now().UTC().Truncate(time.Second), Commit: commit, Seed: seed,
		Faults: map[string]int{}, Took: map[string][]float64{}, Outcomes: map[string]int{}, Most: map[string]int{},
	}
}

// maxWrong bounds what a result shows.
const maxWrong = 20

// AddWrong notes what must not be.
func (r *Result) AddWrong(text string) {
	if len(r.Wrong) < maxWrong {
		r.Wrong = append(r.Wrong, text)
	}
}

// Count adds how many documents were replaced, forgotten and evicted.
func (r *Result) Count(replaced, forgotten, evicted int) {
	r.Replaced += replaced
	r.Forgotten += forgotten
	r.Evicted += evicted
}

// load returns the load average over a minute, 0 where the system does not say.
func load() (average float64) {
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(b), &average)
	}
	return average
}

// Append adds the result to a file.
func (r *Result) Append(path string) (err error) {
	r.Seconds = int(time.Since(r.At).Seconds())
	r.Load = load()
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// Load reads the results of a file; there are none if it does not exist.
func Load(path string) ([]Result, error) {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Result
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var r Result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n, err)
		}
		all = append(all, r)
	}
	return all, lines.Err()
}
