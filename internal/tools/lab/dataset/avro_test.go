package dataset_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/tools/lab/dataset"

	"github.com/twmb/avro"
	"github.com/twmb/avro/ocf"
)

// TestAvro: an Avro file is read as the JSON Lines that it could be, whether it has its schema in
// itself or in another file.
func TestAvro(t *testing.T) {
	const schema = `{"type":"record","name":"Note","fields":[{"name":"text","type":"string"},
		{"name":"label","type":["null",{"type":"enum","name":"Team","symbols":["spam","ham"]}]}]}`
	const values = "\x06win\x02\x00\x0alunch\x02\x02"
	var container bytes.Buffer
	w, err := ocf.NewWriter(&container, avro.MustParse(schema), ocf.WithCodec(ocf.SnappyCodec()))
	if err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{values[:6], values[6:]} {
		if _, err := w.Write([]byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	const want = "1 spam win\n2 ham lunch"
	o := dataset.Options{Spec: parse(t, "")}
	if got := texts(t, o, container.String()); got != want {
		t.Errorf("the container is read as\n%s", got)
	}
	o.Schema = filepath.Join(t.TempDir(), "note.avsc")
	filetest.Write(t, o.Schema, []byte(schema))
	if got := texts(t, o, values); got != want {
		t.Errorf("the values are read as\n%s", got)
	}
	const cut = "1 spam win\n-:2: read: it ends in the middle of a value"
	if got := texts(t, o, values[:len(values)-2]); got != cut {
		t.Errorf("values that are cut off are read as\n%s", got)
	}
}
