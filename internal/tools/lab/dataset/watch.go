package dataset

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"bayestream/internal/tools/cli/progress"
)

// watch shows the progress of reading files, in bytes on disk: for compressed files too the total
// is known in advance.
type watch struct {
	line *progress.Line
	task *progress.Task
}

// begin starts the task. It is called before the first record is read.
func (w *watch) begin(stdin io.Reader, files []string) {
	if w.line == nil || w.task != nil {
		return
	}
	total := int64(0)
	for _, file := range files {
		n := size(stdin, file)
		if n == progress.Unknown {
			total = n
			break
		}
		total += n
	}
	w.task = w.line.Begin("reading", progress.Bytes, total)
}

// size returns the bytes of a file or of all files in a folder, or Unknown.
func size(stdin io.Reader, file string) int64 {
	if file == "-" {
		return progress.Size(stdin)
	}
	info, err := os.Stat(file)
	if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
		return progress.Unknown
	}
	if !info.IsDir() {
		return info.Size()
	}
	total := int64(0)
	err = filepath.WalkDir(file, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	if err != nil {
		return progress.Unknown // opening it returns the error
	}
	return total
}

// file returns f with the bytes that are read from it added to the task.
func (w *watch) file(name string, f io.ReadCloser) io.ReadCloser {
	if w.task == nil {
		return f
	}
	if name == "-" {
		name = "standard input"
	}
	w.task.Rename(filepath.Base(name))
	return &opened{Reader: w.task.Reader(f), Closer: f}
}
