package exchange_test

import (
	"errors"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/shell/modellog"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/stream"
	"bayestream/internal/testing/kafkatest"
	"bayestream/internal/tools/lab/exchange"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// appendTo imports a model into the log of a topic.
func appendTo(t *testing.T, client *stream.Client, topic string, m *model.Model) (*modellog.Imported, error) {
	t.Helper()
	source, err := exchange.Source(m)
	if err != nil {
		t.Fatal(err)
	}
	return modellog.Import(t.Context(), client, topic, source, m, nil, nil)
}

// folded returns the state of the log.
func folded(t *testing.T, client *stream.Client, topic string) *fold.State {
	t.Helper()
	s := fold.New(true)
	if err := modellog.Replay(t.Context(), client, topic, s, -1, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAppendTwiceAddsOnce(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	m := read(t, many(t, 20_000))
	first, err := appendTo(t, client, topic, m)
	if err != nil {
		t.Fatal(err)
	}
	if !first.Spec || first.Chunks < 3 || first.New != first.Chunks || !strings.HasPrefix(first.Source, "import/") {
		t.Errorf("the first import: %+v", first)
	}
	again, err := appendTo(t, client, topic, m)
	if err != nil {
		t.Fatal(err)
	}
	if again.Spec || again.Chunks != first.Chunks || again.New != 0 {
		t.Errorf("the second import: %+v, want nothing new", again)
	}
	if got, want := dump(t, folded(t, client, topic).Model()), dump(t, m); got != want {
		t.Error("the log does not say what was imported")
	}
	// Another model adds to it.
	if _, err := appendTo(t, client, topic, read(t, many(t, 10))); err != nil {
		t.Fatal(err)
	}
	if got, want := dump(t, folded(t, client, topic).Model()), dump(t, read(t, many(t, 20_000), many(t, 10))); got != want {
		t.Error("two imports are not the sum of both")
	}
}

// The sums of the race of a file come with its counts, once.
func TestAppendCarriesScores(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	m := read(t, many(t, 20_000))
	source, err := exchange.Source(m)
	if err != nil {
		t.Fatal(err)
	}
	sums := race.NewSums(len(race.Of(m.Spec()).Scored()))
	sums.Scored, sums.Decided.Errors = 300, 7
	scores := &fold.Scores{List: race.Of(m.Spec()).Fingerprint(), Sums: sums}
	for range 2 {
		if _, err := modellog.Import(t.Context(), client, topic, source, m, scores, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := folded(t, client, topic).Race().Sums(); got.Scored != 300 || got.Decided.Errors != 7 {
		t.Errorf("%d records are scored with %d errors, want 300 with 7", got.Scored, got.Decided.Errors)
	}
}

// An interrupted import is continued, also if its last record was appended twice.
func TestAppendGoesOn(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	m := read(t, many(t, 20_000))
	src, err := exchange.Source(m)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := codec.EncodeSpec(m.Spec(), fold.LogID{})
	if err != nil {
		t.Fatal(err)
	}
	kafkatest.Produce(t, topic, 0, stream.Record{Value: spec})
	var previous uint64
	err = modellog.Chunks(m, src, func(d *fold.Delta) error {
		d.Ranges[0].Previous = previous
		value, err := codec.EncodeDelta(d)
		previous = codec.Sum(value)
		if d.Ranges[0].Start < 2 {
			kafkatest.Produce(t, topic, 0, stream.Record{Value: value})
			kafkatest.Produce(t, topic, 0, stream.Record{Value: value})
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := appendTo(t, client, topic, m)
	if err != nil {
		t.Fatal(err)
	}
	if got.Spec || got.New != got.Chunks-2 {
		t.Errorf("going on: %+v, want all chunks but two", got)
	}
	if got, want := dump(t, folded(t, client, topic).Model()), dump(t, m); got != want {
		t.Error("the log does not say what was imported")
	}
}

func TestAppendRefuses(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	narrow := read(t, `{"spec":"limits: {classes: 2}"}`+"\n"+`{"class":"a","documents":1}`+"\n"+`{"class":"b","documents":1}`)
	if _, err := appendTo(t, client, topic, narrow); err != nil {
		t.Fatal(err)
	}
	before := folded(t, client, topic).Next()
	for name, c := range map[string]struct {
		topic, export, want string
	}{
		"other counting": {topic, `{"spec":"text: {field: text, ngrams: 2}"}` + "\n" + `{"class":"a","documents":1}`, "counts differently: "},
		"more classes":   {topic, `{"spec":"limits: {classes: 2}"}` + "\n" + `{"class":"c","documents":1}`, "would have 3 classes, limits.classes is 2"},
		"two partitions": {kafkatest.Topic(t, 2, nil), `{"spec":""}` + "\n" + `{"class":"c","documents":1}`, "has 2 partitions: a model log has one"},
	} {
		_, err := appendTo(t, client, c.topic, read(t, c.export))
		var refused *modellog.RefusedError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, err := appendTo(t, client, topic+"-none", narrow); !errors.Is(err, stream.ErrUnknownTopic) {
		t.Errorf("a topic that is not there: %v", err)
	}
	if after := folded(t, client, topic).Next(); after != before {
		t.Errorf("refused imports appended %d records", after-before)
	}
}

// A file is equal to the log it came from, and any count more is found.
func TestCompareWithLog(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	m := read(t, many(t, 100))
	if _, err := appendTo(t, client, topic, m); err != nil {
		t.Fatal(err)
	}
	state := folded(t, client, topic)
	if _, err := appendTo(t, client, topic, read(t, many(t, 7))); err != nil {
		t.Fatal(err)
	}
	if err := modellog.Compare(t.Context(), client, topic, state); err != nil {
		t.Errorf("a state from the log, which has gone on since: %v", err)
	}
	var difference *modellog.DifferenceError
	other := kafkatest.Topic(t, 1, nil)
	if err := modellog.Compare(t.Context(), client, other, state); !errors.As(err, &difference) || !strings.Contains(err.Error(), "holds 0") {
		t.Errorf("an empty log: %v", err)
	}
	if _, err := appendTo(t, client, other, read(t, many(t, 99))); err != nil {
		t.Fatal(err)
	}
	if err := modellog.Compare(t.Context(), client, other, state); !errors.As(err, &difference) || !strings.Contains(err.Error(), "another checksum") {
		t.Errorf("another log: %v", err)
	}
	b := model.NewBuilder(state.Model().Spec())
	b.Observe("a", 1, &model.Features{Numbers: make([]model.Number, 1)})
	if err := state.Model().Apply(b.Delta()); err != nil {
		t.Fatal(err)
	}
	err := modellog.Compare(t.Context(), client, topic, state)
	if !errors.As(err, &difference) || !strings.Contains(err.Error(), `the file has "class \"a\" 11" where the log has "class \"a\" 10"`) {
		t.Errorf("one document more: %v", err)
	}
}

// What a spec says about deciding has no part in whether counts are new: the same ones learned
// under another alpha are not counted again.
func TestAppendKnowsCountsUnderAnotherScoring(t *testing.T) {
	client, topic := kafkatest.Dial(t), kafkatest.Topic(t, 1, nil)
	lines := `{"class":"a","documents":2}` + "\n" + `{"class":"a","term":"x","count":3}` + "\n"
	first, err := appendTo(t, client, topic, read(t, `{"spec":"name: one\ntext: {alpha: 1}"}`+"\n"+lines))
	if err != nil {
		t.Fatal(err)
	}
	again, err := appendTo(t, client, topic, read(t, `{"spec":"name: two\ntext: {alpha: 0.5, likelihood: complement}\nprior: uniform"}`+"\n"+lines))
	if err != nil {
		t.Fatal(err)
	}
	if again.New != 0 || again.Source != first.Source {
		t.Errorf("under another scoring: %+v after %+v, want nothing new", again, first)
	}
	if n := folded(t, client, topic).Model().Classes().Total(); n != 2 {
		t.Errorf("the log holds %d documents, want 2", n)
	}
	other, err := exchange.Source(read(t, `{"spec":"text: {ngrams: 2}"}`+"\n"+lines))
	if err != nil {
		t.Fatal(err)
	}
	if other.Topic == first.Source {
		t.Error("what is counted differently has the same name")
	}
}
