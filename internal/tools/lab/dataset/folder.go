package dataset

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"bayestream/internal/shell/escape"
	"bayestream/internal/shell/wire"
	"bayestream/internal/shell/wire/unpack"
)

// folder reads a folder with a subfolder for each class, and all folders in these. A file holds one
// document or is a mailbox. If labels are not needed, or one label is given for all, the folder
// itself may hold files. A Maildir is one folder of mails.
type folder struct {
	options Options
	watch   *watch
	files   []labelledFile
	beside  []string // files beside the folders of the classes
	mail    bool     // a file is a mail
	current
}

// labelledFile is a file with the label of its documents.
type labelledFile struct{ path, label string }

func openFolder(o Options, w *watch, root string) (Reader, error) {
	f := &folder{options: o, watch: w}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("open data: %w", err)
	}
	if o.Unlabelled || o.Label != "" || isMaildir(entries) {
		err = f.add(root, o.Label)
	} else {
		err = f.addClasses(root, entries)
	}
	if err != nil {
		return nil, err
	}
	if err := f.check(root); err != nil {
		return nil, err
	}
	slices.SortFunc(f.files, func(a, b labelledFile) int { return strings.Compare(a.path, b.path) })
	f.mail = o.Format == Mail || o.Format == Auto && (o.Spec.Format == wire.FormatMail || f.looksLikeMail())
	return f, nil
}

// check returns an error for a folder that is surely another one than was meant, and warns of one
// that may be.
func (f *folder) check(root string) error {
	var records []string
	for _, x := range f.files {
		if format := FormatByName(x.path); format == JSONL || format == CSV {
			records = append(records, filepath.Base(x.path))
		}
	}
	const instead = "name files of records themselves, or say --format=text"
	why := ""
	switch o := f.options; {
	case o.Format == JSONL || o.Format == CSV || o.Format == Labelled:
		why = "is a folder: name its files to read them with --format=" + o.Format
	case len(f.files) == 0 && o.Unlabelled:
		why = "holds no files, and no subfolders with files: want one document per file"
	case len(f.files) == 0 || !o.Unlabelled && f.files[0].label == "":
		why = "holds no subfolders with files: want a subfolder for each class, or --label=NAME for all files in the folder"
	case len(f.beside) > len(f.files):
		why = fmt.Sprintf("holds more files beside its subfolders (%d) than in them (%d): want a subfolder for each class, "+
			"or --label=NAME for all files", len(f.beside), len(f.files))
	case o.Format == Auto && 2*len(records) > len(f.files):
		why = fmt.Sprintf("holds %s, each of which would be one document: %s", firstOf(records), instead)
	}
	if why != "" {
		return &FolderError{Folder: root, Why: why}
	}
	if len(f.beside) > 0 {
		f.warn("%s: the files beside its subfolders are left out: %s", root, firstOf(f.beside))
	}
	if f.options.Format == Auto && len(records) > 0 {
		f.warn("%s: files of records are read as one document each: %s; %s", root, firstOf(records), instead)
	}
	return nil
}

// warn tells what is odd about the folder.
func (f *folder) warn(format string, args ...any) {
	if f.options.Warn != nil {
		f.options.Warn(fmt.Sprintf(format, args...))
	}
}

// firstOf names the first of some files.
func firstOf(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s, and %d more", names[0], len(names)-1)
}

// isMaildir reports whether the entries of a folder are those of a Maildir, whose folders are no
// classes.
func isMaildir(entries []os.DirEntry) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.IsDir() && e.Name() == name })
	}
	return has("cur") && has("new")
}

// addClasses adds the files of the folders of classes. A file beside them, such as a readme, is no
// document.
func (f *folder) addClasses(root string, entries []os.DirEntry) error {
	for _, c := range entries {
		if strings.HasPrefix(c.Name(), ".") {
			continue
		}
		if !c.IsDir() {
			f.beside = append(f.beside, c.Name())
			continue
		}
		if err := f.add(filepath.Join(root, c.Name()), c.Name()); err != nil {
			return err
		}
	}
	return nil
}

// add adds the files of a folder and of the folders in it, of which that of mails in the making is
// left out.
func (f *folder) add(dir, label string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("open data: %w", err)
	}
	maildir := isMaildir(entries)
	for _, file := range entries {
		path := filepath.Join(dir, file.Name())
		switch {
		case strings.HasPrefix(file.Name(), "."), maildir && file.Name() == "tmp":
		case !file.IsDir():
			f.files = append(f.files, labelledFile{path: path, label: label})
		default:
			if err := f.add(path, label); err != nil {
				return err
			}
		}
	}
	return nil
}

// FolderError reports a folder that does not hold its documents as it must.
type FolderError struct{ Folder, Why string }

func (e *FolderError) Error() string { return escape.Text(e.Folder + " " + e.Why) }

// fileError reports a file of a folder that cannot be read. It concerns no other file.
type fileError struct{ error }

// Unwrap returns why.
func (e fileError) Unwrap() error { return e.error }

func (f *folder) Read(rec *Record) error {
	err := f.current.read(rec, f.next)
	if err == nil || errors.Is(err, io.EOF) || IsReject(err) {
		return err
	}
	return fileError{err}
}

// next opens the next file.
func (f *folder) next() (Reader, error) {
	if len(f.files) == 0 {
		return nil, io.EOF
	}
	x := f.files[0]
	f.files = f.files[1:]
	return f.open(x)
}

func (f *folder) open(x labelledFile) (Reader, error) {
	o := f.options
	o.Label = x.label
	in, err := os.Open(x.path)
	if err == nil {
		if info, statErr := in.Stat(); statErr == nil && info.IsDir() {
			err = errors.Join(errors.New("this is a link to a folder"), in.Close())
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("this is a link to a file that does not exist")
	}
	if err != nil {
		return nil, &wire.LineError{File: x.path, Line: 1, Err: err}
	}
	watched := f.watch.file(x.path, in)
	r, err := f.read(o, x.path, watched)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return &file{r, watched}, nil
}

// read reads a file of the folder.
func (f *folder) read(o Options, path string, file io.Reader) (records, error) {
	in, err := o.text(path, file)
	if err != nil {
		return nil, err
	}
	format := FormatByName(path)
	switch {
	case o.Format == Text || o.Format == Mbox:
		format = o.Format
	case f.mail && format != Mbox:
		format = Mail
	}
	if format == Mail || format == Mbox {
		return newMails(o, format, path, in)
	}
	return newDocuments(o, path, in, wire.FormatText, noMailbox)
}

// sample is how many files of a folder are looked at.
const sample = 16

// looksLikeMail reports whether most of some files, taken evenly from the folder, are mails.
func (f *folder) looksLikeMail() bool {
	step := max(1, len(f.files)/sample)
	mails, others := 0, 0
	for i := 0; i < len(f.files); i += step {
		if f.files[i].isMail() {
			mails++
		} else {
			others++
		}
	}
	return mails > others
}

// OpensAgain reports whether a file or folder can be looked at before it is read: what is read of
// standard input or of a pipe is gone. One that does not exist counts as such: opening it returns
// the error.
func OpensAgain(file string) bool {
	if file == "-" {
		return false
	}
	info, err := os.Stat(file)
	return err != nil || info.IsDir() || info.Mode().IsRegular()
}

// AreMail reports whether all files and folders hold mails, as Open would read them. What does not
// open again counts as mail by its name alone.
func AreMail(o Options, files ...string) bool {
	if o.Format != Auto {
		return o.Format == Mail || o.Format == Mbox
	}
	for _, file := range files {
		info, err := os.Stat(file)
		switch {
		case err != nil || file == "-":
			return false // opening it returns the error
		case info.IsDir():
			r, err := openFolder(o, &watch{}, file)
			if f, ok := r.(*folder); err != nil || !ok || !f.mail {
				return false
			}
		case FormatByName(file) != Mbox && !(labelledFile{path: file}).isMail():
			return false
		}
	}
	return len(files) > 0
}

// isMail reports whether a file is a mail, by its name or its header.
func (x labelledFile) isMail() bool {
	if FormatByName(x.path) != Auto || !OpensAgain(x.path) {
		return FormatByName(x.path) == Mail
	}
	f, err := os.Open(x.path)
	if err != nil {
		return false // opening it again returns the error
	}
	defer func() { _ = f.Close() }()
	in, err := unpack.Text(f)
	return err == nil && isMail(in)
}
