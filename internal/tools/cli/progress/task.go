package progress

import (
	"fmt"
	"io"
	"os"
	"slices"

	"bayestream/internal/shell/escape"

	"github.com/schollz/progressbar/v3"
)

// Bytes is the unit of tasks that read or write.
const Bytes = "bytes"

// Unknown is the total of a task of unknown length.
const Unknown = -1

// Task is a piece of work of a Line.
type Task struct {
	line  *Line
	bar   *progressbar.ProgressBar
	total int64
	done  int64
}

// Add adds n units to what is done.
func (t *Task) Add(n int64) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.done += n
	t.line.draw(t)
}

// Rename sets the name of a task.
func (t *Task) Rename(name string) {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.bar.Describe(label(name))
}

// End ends a task; the task that began before it is shown again.
func (t *Task) End() {
	if t == nil {
		return
	}
	t.line.mu.Lock()
	defer t.line.mu.Unlock()
	t.line.tasks = slices.DeleteFunc(t.line.tasks, func(other *Task) bool { return other == t })
	t.line.erase()
}

// Reader returns r with the bytes that are read from it added to the task.
func (t *Task) Reader(r io.Reader) io.Reader {
	if t == nil {
		return r
	}
	return &reader{from: r, task: t}
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

// Size returns how many bytes are left in r if it is a regular file, else Unknown.
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

// label returns a name as 24 characters, none of them a control character: padded, or the end of a
// longer name.
func label(name string) string {
	const width = 24
	runes := []rune(escape.Text(name))
	if len(runes) > width {
		runes = append([]rune("..."), runes[len(runes)-width+3:]...)
	}
	return fmt.Sprintf("%-*s", width, string(runes))
}
