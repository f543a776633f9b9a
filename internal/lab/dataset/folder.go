package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayestream/internal/escape"
	"bayestream/internal/wire"
)

// folder reads a folder with a subfolder for each class. A file holds one document or is a mailbox. If labels are
// not needed, or one label is given for all, the folder itself may hold files.
type folder struct {
	options Options
	watch   *watch
	files   []labelledFile
	current Reader
}

// labelledFile is a file with the label of its documents.
type labelledFile struct{ path, label string }

func openFolder(o Options, w *watch, root string) (Reader, error) {
	f := &folder{options: o, watch: w}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if o.Unlabelled || o.Label != "" {
		f.add(root, entries, o.Label)
	}
	for _, c := range entries {
		if !c.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(root, c.Name()))
		if err != nil {
			return nil, fmt.Errorf("open data: %w", err)
		}
		f.add(filepath.Join(root, c.Name()), files, c.Name())
	}
	if len(f.files) == 0 {
		return nil, &FolderError{Folder: root, Unlabelled: o.Unlabelled}
	}
	slices.SortFunc(f.files, func(a, b labelledFile) int { return strings.Compare(a.path, b.path) })
	return f, nil
}

// add adds the files among the entries of a folder.
func (f *folder) add(dir string, entries []os.DirEntry, label string) {
	for _, file := range entries {
		if !file.IsDir() && !strings.HasPrefix(file.Name(), ".") {
			f.files = append(f.files, labelledFile{path: filepath.Join(dir, file.Name()), label: label})
		}
	}
}

// FolderError reports a folder without documents where they are expected.
type FolderError struct {
	Folder     string
	Unlabelled bool // labels are not needed
}

func (e *FolderError) Error() string {
	if e.Unlabelled {
		return escape.Text(e.Folder) + " holds no files, and no subfolders with files: want one document per file"
	}
	return escape.Text(e.Folder) + " holds no subfolders with files: want a subfolder for each class, or the label of all files in the folder"
}

func (f *folder) Read(rec *Record) error {
	for {
		if f.current == nil {
			if len(f.files) == 0 {
				return io.EOF
			}
			r, err := f.open(f.files[0])
			if err != nil {
				return err
			}
			f.current = r
			f.files = f.files[1:]
		}
		err := f.current.Read(rec)
		if !errors.Is(err, io.EOF) {
			return err
		}
		if err := f.current.Close(); err != nil {
			return err
		}
		f.current = nil
	}
}

func (f *folder) open(x labelledFile) (Reader, error) {
	o := f.options
	o.Label = x.label
	file, err := os.Open(x.path)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	in := f.watch.file(x.path, file)
	var r Reader
	switch {
	case o.Format == Mbox || strings.HasSuffix(x.path, ".mbox"):
		r, err = newDocuments(o, x.path, in, wire.FormatMail, true)
	case o.Format == Mail || o.Format == Auto && o.Spec.Format == wire.FormatMail:
		r, err = newDocuments(o, x.path, in, wire.FormatMail, false)
	default:
		r, err = newDocuments(o, x.path, in, wire.FormatText, false)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return r, nil
}

func (f *folder) Close() error {
	if f.current == nil {
		return nil
	}
	return f.current.Close()
}
