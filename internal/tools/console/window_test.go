package console

import (
	"fmt"
	"path/filepath"
	"testing"

	"bayestream/bench/labelled"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/kafkatest"
)

// The console says what a window holds of each partition, and that what has left it was taken out.
func TestWindow(t *testing.T) {
	for limit, check := range map[string]func(w *windowJSON) bool{
		"{records: 5}": func(w *windowJSON) bool {
			return w.Inside == 10 && len(w.Partitions) == 2 && w.Partitions[0].Inside == 5 && w.Partitions[0].Oldest == nil
		},
		"{age: 2d}": func(w *windowJSON) bool {
			return w.Inside == 20 && len(w.Partitions) == 2 && w.Partitions[0].Inside == 10 && w.Partitions[0].Oldest != nil && !w.Partitions[0].Newest.Before(*w.Partitions[0].Oldest)
		},
	} {
		t.Run(limit, func(t *testing.T) {
			spec := filepath.Join(t.TempDir(), "spec.yaml")
			filetest.Write(t, spec, "text: {field: text}\nlimits: {window: "+limit+"}\n")
			b := newBenchOf(t, spec)
			s := b.open()
			for i := range 20 {
				id := fmt.Sprintf("t%d", i)
				kafkatest.Produce(t, b.topics.Training, i%2, stream.Record{Key: []byte(id), Value: labelled.AppendTraining(nil, id, "ham", "lunch on friday")})
			}
			var m modelJSON
			s.await("the window", func() bool {
				s.get("/v1/model", &m)
				return m.Window != nil && m.Window.Exact && m.Window.Owed == 0 && m.Documents == int64(m.Window.Inside) && check(m.Window)
			})
		})
	}
}
