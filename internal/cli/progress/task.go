package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

// Bytes is the unit of tasks that read or write. Others are named in the plural, like "documents".
const Bytes = "bytes"

// Unknown is the total of a task of which nobody knows how long it is.
const Unknown = -1

// Task is a piece of work of a Line. A nil one shows nothing.
type Task struct {
	line  *Line
	name  string
	unit  string
	total int64
	done  int64
	begun time.Time
}

// Begin shows a task, in place of the one before until it ends. total is in the unit, or Unknown.
func (l *Line) Begin(name, unit string, total int64) *Task {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &Task{line: l, name: name, unit: unit, total: total, begun: l.options.Now()}
	l.tasks = append(l.tasks, t)
	return t
}

// Add says that n more are done.
func (t *Task) Add(n int64) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.done += n
	t.line.draw()
}

// Rename says what is being done now.
func (t *Task) Rename(name string) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.name = name
}

// End ends the task; the one that it was shown instead of comes back.
func (t *Task) End() {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	kept := t.line.tasks[:0]
	for _, other := range t.line.tasks {
		if other != t {
			kept = append(kept, other)
		}
	}
	t.line.tasks = kept
	if len(kept) == 0 {
		t.line.erase()
	}
}

// Reader returns r, whose bytes are added to the task as they are read.
func (t *Task) Reader(r io.Reader) io.Reader {
	if t == nil {
		return r
	}
	return &reader{r, t}
}

type reader struct {
	from io.Reader
	task *Task
}

func (r *reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.task.Add(int64(n))
	return n, err
}

// Size returns how many bytes r will give if it is a file on a disk, else Unknown.
func Size(r io.Reader) int64 {
	f, ok := r.(*os.File)
	if !ok {
		return Unknown
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return Unknown
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return Unknown
	}
	return max(0, info.Size()-at)
}

// The bar takes the room that the words leave, within bounds.
const (
	narrowBar = 5
	wideBar   = 20
	nameWidth = 24
)

// text returns the line of at most columns runes. What does not fit is left out: the bar, then the amount,
// then the rate, then the share; the time left goes last.
func (t *Task) text(now time.Time, columns int) string {
	elapsed := now.Sub(t.begun).Seconds()
	rate := 0.0
	if elapsed > 0 {
		rate = float64(t.done) / elapsed
	}
	parts := []string{pad(t.name), "", "", t.amount(), t.pace(rate), seconds(elapsed)}
	if t.total > 0 {
		share := min(1, float64(t.done)/float64(t.total))
		parts[2], parts[5] = fmt.Sprintf("%3d %%", int(share*100)), left(float64(t.total-t.done), rate)
		parts[1] = bar(share, columns-width(parts)-2)
	}
	for _, drop := range []int{3, 4, 2} {
		if width(parts) <= columns {
			break
		}
		parts[drop] = ""
	}
	line := []rune(join(parts))
	return string(line[:min(len(line), max(0, columns))])
}

// bar returns a bar that takes at most room runes, "" where that is too little for one.
func bar(share float64, room int) string {
	n := min(room-2, wideBar)
	if n < narrowBar {
		return ""
	}
	full := int(share * float64(n))
	return "[" + strings.Repeat("#", full) + strings.Repeat(".", n-full) + "]"
}

func width(parts []string) int { return utf8.RuneCountInString(join(parts)) }

// pad cuts a name, keeping its end, or fills it up, so that what stands behind it does not dance.
func pad(name string) string {
	runes := []rune(strings.Map(printable, name))
	if len(runes) > nameWidth {
		runes = append([]rune("..."), runes[len(runes)-nameWidth+3:]...)
	}
	return string(runes) + strings.Repeat(" ", nameWidth-len(runes))
}

// printable keeps control characters in a file's name from the terminal.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
		return '?'
	}
	return r
}

func join(parts []string) string {
	var kept []string
	for _, p := range parts {
		if p != "" {
			kept = append(kept, p)
		}
	}
	return strings.Join(kept, "  ")
}

// amount says how much is done, and of how much where that is known.
func (t *Task) amount() string {
	done, total := float64(t.done), float64(t.total)
	switch {
	case t.unit == Bytes && t.total > 0:
		return scaled(min(done, total), total) + " of " + scaled(total, total) + unitOf(total)
	case t.unit == Bytes:
		return scaled(done, done) + unitOf(done)
	case t.total > 0:
		return fmt.Sprintf("%d of %d", t.done, t.total)
	}
	return fmt.Sprintf("%d %s", t.done, t.unit)
}

// pace says how fast it goes.
func (t *Task) pace(rate float64) string {
	switch {
	case rate == 0:
		return ""
	case t.unit == Bytes:
		return scaled(rate, rate) + unitOf(rate) + "/s"
	case rate < 10:
		return fmt.Sprintf("%.2g %s/s", rate, t.unit)
	}
	return fmt.Sprintf("%.0f %s/s", rate, t.unit)
}

// byteUnits are the decimal units of bytes.
var byteUnits = []string{" B", " kB", " MB", " GB", " TB"}

func power(x float64) int {
	n := 0
	for ; x >= 1000 && n < len(byteUnits)-1; n++ {
		x /= 1000
	}
	return n
}

func unitOf(like float64) string { return byteUnits[power(like)] }

// scaled writes x in the unit of like.
func scaled(x, like float64) string {
	n := power(like)
	x /= math.Pow(1000, float64(n))
	if n == 0 || x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.1f", x)
}

// left says how long the rest takes at the rate so far, nothing while there is none.
func left(rest, rate float64) string {
	if rate == 0 {
		return ""
	}
	return seconds(max(0, rest/rate)) + " left"
}

// seconds writes a time for people.
func seconds(s float64) string {
	s = math.Ceil(s)
	switch {
	case s < 60:
		return fmt.Sprintf("%.0f s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", int(s)/60, int(s)%60)
	}
	return fmt.Sprintf("%d h %02d min", int(s)/3600, int(s)/60%60)
}
