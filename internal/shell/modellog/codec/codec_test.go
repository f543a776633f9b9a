package codec_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"bayestream/internal/core/fold"
	"bayestream/internal/core/model"
	"bayestream/internal/core/race"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/modellog/codec"
	"bayestream/internal/shell/modellog/logpb"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tokenize"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the golden files again")

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// randomDelta returns a spec and the delta of some records after others.
func randomDelta(t storetest.Fataler, draw storetest.Chance) (*spec.Spec, *fold.Delta) {
	t.Helper()
	likelihood := []string{spec.Multinomial, spec.Bernoulli}[draw(2)]
	sp := storetest.Spec(t, likelihood, 1000, 1000)
	records := storetest.Records(1+draw(20), draw)
	start := int64(draw(len(records)))
	s := storetest.Start(t, sp, true)
	if start > 0 {
		storetest.Learn(t, s, records, start)
	}
	src := fold.Source{Topic: "training", Partition: int32(draw(4))}
	if src.Partition != 0 {
		start = 0
	}
	return sp, storetest.NewWriter(t, sp).Delta(t, s, src, records, start, int64(len(records)))
}

// What is encoded comes back, and encodes to the same bytes again.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "n") }
		s, d := randomDelta(t, draw)
		if draw(2) == 0 {
			d.Scores = storetest.Scores(race.Of(s), 20, draw)
		}
		value := encode(t, d)
		e, err := codec.Decode(value, 0, before(t, s).Reading())
		if err != nil || e.Unreadable != nil || e.Spec != nil {
			t.Fatalf("decode: %+v, %v", e, err)
		}
		if diff := cmp.Diff(d, e.Delta, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("decoded (-encoded +decoded):\n%s", diff)
		}
		if again := encode(t, e.Delta); !bytes.Equal(again, value) {
			t.Fatalf("encoded again:\n%x\nbefore:\n%x", again, value)
		}
	})
}

// before returns a state that has folded the spec, if any.
func before(t storetest.Fataler, sp *spec.Spec) *fold.State {
	t.Helper()
	if sp == nil {
		return fold.New(true)
	}
	return storetest.Start(t, sp, true)
}

func encode(t storetest.Fataler, d *fold.Delta) []byte {
	t.Helper()
	value, err := codec.EncodeDelta(d)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return value
}

// Deltas that add the same are equal byte for byte, whatever the order in which they were observed.
func TestEqualDeltasHaveEqualBytes(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	records := make([]storetest.Record, 30)
	for i := range records {
		records[i] = storetest.Document("", newRand(uint64(i)).IntN)
	}
	var first []byte
	for seed := range uint64(20) {
		newRand(seed).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		s := storetest.Start(t, sp, true)
		value := encode(t, storetest.NewWriter(t, sp).Delta(t, s, storetest.Training, records, 0, int64(len(records))))
		if first == nil {
			first = value
		}
		if !bytes.Equal(value, first) {
			t.Fatalf("order %d:\n%x\norder 0:\n%x", seed, value, first)
		}
	}
}

func TestSpecRoundTrip(t *testing.T) {
	s := storetest.Spec(t, spec.Bernoulli, 77, 8)
	id := fold.LogID{1, 15: 2}
	value, err := codec.EncodeSpec(s, id)
	if err != nil {
		t.Fatal(err)
	}
	for _, inForce := range []*spec.Spec{nil, s, spec.Default()} {
		e, err := codec.Decode(value, 0, before(t, inForce).Reading())
		if err != nil || e.Unreadable != nil || e.Delta != nil {
			t.Fatalf("decode: %+v, %v", e, err)
		}
		if e.Log != id || e.Spec.Counting() != s.Counting() || e.Spec.Scoring() != s.Scoring() || e.Spec.Name != s.Name {
			t.Errorf("decoded\n%s\nencoded\n%s", e.Spec.YAML(), s.YAML())
		}
	}
}

// golden compares bytes with a file, as a hexadecimal dump.
func golden(t *testing.T, name string, value []byte) {
	t.Helper()
	filetest.Golden(t, filepath.Join("testdata", name), hex.Dump(value), *update)
	if t.Failed() {
		t.Log("if the bytes of the log have changed, logs that exist cannot be read, or are counted as foreign")
	}
}

// goldenRecords are few enough to be read, and make a delta of everything that one can have.
func goldenRecords() []storetest.Record {
	number := func(v int64) model.Number { return model.Number{Value: v, Present: true} }
	goal := storetest.Record{
		ID: "g1", Label: "sports", Weight: 1, Text: "goal team goal",
		Numbers:    []model.Number{number(1e9), number(-2e9), number(500), {}},
		Categories: []model.Category{{Value: []byte("FR"), Present: true}, {}},
	}
	vote := storetest.Record{
		ID: "v1", Label: "election", Weight: 3, Text: "vote team",
		Numbers: []model.Number{number(1), number(2), number(3), number(4)}, Categories: make([]model.Category, 2),
	}
	again := vote
	again.Label, again.Weight = "sports", 1
	return []storetest.Record{vote, goal, {ID: "nobody"}, again, {ID: "g1"}, goal}
}

// goldenDelta is the delta of all golden records after the first, with everything that a delta can
// say.
func goldenDelta(t storetest.Fataler) (*spec.Spec, *fold.Delta) {
	t.Helper()
	sp, d := nextDelta(t)
	d.Ranges[0].Generation = 1
	d.Ranges[0].Previous = 0xbead_0000_0001
	d.Ranges[0].Lost = 2
	d.Era = 9
	d.Spec = 3
	d.EraCRC = 0xe7a
	d.SpecCRC = 0x5bec
	d.Ranges[0].Anchor = &fold.Anchor{Offset: 5, Epoch: 7, Checksum: 0xcafe, TopicID: [16]byte{1, 15: 16}}
	d.Digest = &fold.Digest{Next: 12, Counts: 0xc0}
	d.Ranges[0].Digest = 0x1e
	d.Scores = goldenScores(race.Of(sp))
	return sp, d
}

// nextDelta is the delta of all golden records after the first, for a state that has counted that
// one.
func nextDelta(t storetest.Fataler) (*spec.Spec, *fold.Delta) {
	t.Helper()
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	sp.Race = &spec.Race{Share: 32, Candidates: []spec.Candidate{{Likelihood: spec.Multinomial, Alpha: 0.1}, spec.Textbook}, Shadow: &spec.Candidate{Likelihood: spec.Multinomial, Alpha: 2}}
	records := goldenRecords()
	s := storetest.Start(t, sp, true)
	storetest.Learn(t, s, records, 1)
	return sp, storetest.NewWriter(t, sp).Delta(t, s, storetest.Training, records, 1, int64(len(records)))
}

// The bytes of the log, and with them the counting fingerprint in every delta, must not drift by
// accident.
func TestGoldenDelta(t *testing.T) {
	s, d := goldenDelta(t)
	mustBeGolden(t, "scored.hex", s, d)
	d.Scores = nil
	mustBeGolden(t, "delta.hex", s, d)
	other := *d
	other.Ranges = []fold.Range{{Source: fold.Source{Topic: "training", Partition: 7}, End: 1, Lost: 1}}
	mustBeGolden(t, "sum.hex", s, fold.Sum([]*fold.Delta{&other, d}))
}

func mustBeGolden(t *testing.T, name string, s *spec.Spec, d *fold.Delta) {
	t.Helper()
	golden(t, name, encode(t, d))
	e, err := codec.Decode(readHex(t, name), 0, before(t, s).Reading())
	if err != nil || e.Unreadable != nil {
		t.Fatalf("decode: %v, %v", e.Unreadable, err)
	}
	if diff := cmp.Diff(d, e.Delta, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the golden bytes of %s decode to (-want +got):\n%s", name, diff)
	}
}

// goldenControls are controls of each kind, by the names of their files.
func goldenControls() map[string]*fold.Control {
	marks := []fold.Mark{
		{
			Source: fold.Source{Topic: "training"},
			Progress: fold.Progress{
				Generation: 1, Watermark: 6, Begin: 1, FromStart: true, Skipped: 1, Lost: 2, Previous: 0xbead, At: 8,
				Anchor: fold.Anchor{Offset: 5, Epoch: 7, Checksum: 0xcafe, TopicID: [16]byte{1, 15: 16}},
			},
		},
		{Source: fold.Source{Topic: "import/00", Partition: 1}, Progress: fold.Progress{Watermark: 2, Anchor: fold.NoAnchor}},
	}
	return map[string]*fold.Control{
		"void.hex":    {Era: 9, Why: "bad labels", Void: &fold.Void{From: 10, To: 12, FirstCRC: 0xf1, LastCRC: 0x1a, Marks: marks}},
		"recount.hex": {Void: &fold.Void{From: 10, To: 11, FirstCRC: 0xf1, LastCRC: 0xf1, Recount: true}},
		"reset.hex":   {Era: 9, Reset: &fold.Reset{}},
		"rename.hex":  {Era: 9, Why: "one name", Rename: &fold.Rename{From: "sport", To: "sports"}},
	}
}

func encodeControl(t storetest.Fataler, c *fold.Control) []byte {
	t.Helper()
	value, err := codec.EncodeControl(c)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return value
}

func TestGoldenControls(t *testing.T) {
	for name, c := range goldenControls() {
		golden(t, name, encodeControl(t, c))
		e, err := codec.Decode(readHex(t, name), 0, before(t, nil).Reading())
		if err != nil || e.Unreadable != nil {
			t.Fatalf("%s: decode: %v, %v", name, e.Unreadable, err)
		}
		if diff := cmp.Diff(c, e.Control); diff != "" {
			t.Errorf("%s: the golden bytes decode to (-want +got):\n%s", name, diff)
		}
	}
}

func TestGoldenSpec(t *testing.T) {
	s := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	value, err := codec.EncodeSpec(s, fold.LogID{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "spec.hex", value)
	e, err := codec.Decode(readHex(t, "spec.hex"), 0, before(t, nil).Reading())
	if err != nil || e.Unreadable != nil {
		t.Fatalf("decode: %v, %v", e.Unreadable, err)
	}
	if e.Spec.Counting() != s.Counting() || e.Spec.Scoring() != s.Scoring() {
		t.Errorf("the golden bytes decode to\n%s\nwant\n%s", e.Spec.YAML(), s.YAML())
	}
}

// readHex reads what hex.Dump wrote.
func readHex(t testing.TB, name string) []byte {
	t.Helper()
	dump := filetest.Read(t, filepath.Join("testdata", name))
	var out []byte
	for line := range strings.Lines(string(dump)) {
		digits, _, _ := strings.Cut(line, "|")
		if len(digits) < 10 {
			continue // the length at the end
		}
		b, err := hex.DecodeString(strings.ReplaceAll(digits[10:], " ", ""))
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b...)
	}
	return out
}

// A record that was made with another tokenizer stops a replica that counts by it, and only that
// one.
func TestOtherTokenizer(t *testing.T) {
	sp := storetest.Spec(t, spec.Multinomial, 1000, 1000)
	p := codec.SpecProto(sp, fold.LogID{})
	p.TokenizerRevision = tokenize.Revision + 1
	value := marshal(t, &logpb.Record{Format: codec.Format, Kind: &logpb.Record_Spec{Spec: p}})

	_, err := codec.Decode(value, 0, before(t, nil).Reading())
	var revision *codec.RevisionError
	if !errors.As(err, &revision) || *revision != (codec.RevisionError{Counts: tokenize.Revision + 1, Program: tokenize.Revision}) {
		t.Errorf("as the first spec: %v, want a RevisionError", err)
	} else if s := revision.Error(); !strings.Contains(s, "tokenizer revision") || !strings.Contains(s, "new model topic") {
		t.Errorf("the sentence %q says neither what nor what to do", s)
	}

	// A later version that started on an empty topic at the same time, and was not the first.
	e, err := codec.Decode(value, 0, before(t, sp).Reading())
	if err != nil || e.Spec != nil || e.Unreadable == nil {
		t.Errorf("after another spec: %+v, %v, want it passed over", e, err)
	}
}

func marshal(t testing.TB, m proto.Message) []byte {
	t.Helper()
	value, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// Whatever this version does not know, in whichever message, stops the replica: to pass over a
// count is to count otherwise than the others.
func TestNewerRecordsStop(t *testing.T) {
	s, d := goldenDelta(t)
	unknown := protowire.AppendVarint(protowire.AppendTag(nil, 99, protowire.VarintType), 1)
	kind := append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), codec.Format), unknown...)
	for name, value := range map[string][]byte{
		"an unknown kind of record": kind,
		"a later format":            protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), codec.Format+1),
		"another layout":            {1 << 3, codec.Format + 1, 3<<3 | 2, 2, 0xff, 0xff},
	} {
		mustBeNewer(t, name, value, s)
	}
	for name, message := range map[string]func(*logpb.Delta) proto.Message{
		"Delta":       func(p *logpb.Delta) proto.Message { return p },
		"Counts":      func(p *logpb.Delta) proto.Message { return p.Counts },
		"Text":        func(p *logpb.Delta) proto.Message { return p.Counts.Tables[0] },
		"Categories":  func(p *logpb.Delta) proto.Message { return p.Counts.Tables[2].Terms },
		"Numbers":     func(p *logpb.Delta) proto.Message { return p.Counts.Numbers[1] },
		"Range":       func(p *logpb.Delta) proto.Message { return p.Ranges[0] },
		"LedgerPart":  func(p *logpb.Delta) proto.Message { return p.Ranges[0].Ledger },
		"a second":    func(p *logpb.Delta) proto.Message { p.Ranges = append(p.Ranges, &logpb.Range{}); return p.Ranges[1] },
		"Scores":      func(p *logpb.Delta) proto.Message { return p.Scores },
		"a candidate": func(p *logpb.Delta) proto.Message { return p.Scores.Candidates[2] },
	} {
		r := &logpb.Record{}
		if err := proto.Unmarshal(encode(t, d), r); err != nil {
			t.Fatal(err)
		}
		message(r.GetDelta()).ProtoReflect().SetUnknown(unknown)
		mustBeNewer(t, "an unknown field in "+name, marshal(t, r), s)
	}
	for name, change := range map[string]func(*logpb.Delta){
		"an unknown field in LedgerChanges": ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.ProtoReflect().SetUnknown(unknown) }),
	} {
		r := &logpb.Record{}
		if err := proto.Unmarshal(encode(t, d), r); err != nil {
			t.Fatal(err)
		}
		change(r.GetDelta())
		mustBeNewer(t, name, marshal(t, r), s)
	}
	p := codec.SpecProto(s, fold.LogID{})
	p.ProtoReflect().SetUnknown(unknown)
	mustBeNewer(t, "an unknown field in Spec", marshal(t, &logpb.Record{Format: codec.Format, Kind: &logpb.Record_Spec{Spec: p}}), s)
	for name, message := range map[string]func(*logpb.Control) proto.Message{
		"Control":    func(p *logpb.Control) proto.Message { return p },
		"Void":       func(p *logpb.Control) proto.Message { return p.GetVoid() },
		"a mark":     func(p *logpb.Control) proto.Message { return p.GetVoid().Marks[1] },
		"its anchor": func(p *logpb.Control) proto.Message { return p.GetVoid().Marks[0].Anchor },
	} {
		r := &logpb.Record{}
		if err := proto.Unmarshal(encodeControl(t, goldenControls()["void.hex"]), r); err != nil {
			t.Fatal(err)
		}
		message(r.GetControl()).ProtoReflect().SetUnknown(unknown)
		mustBeNewer(t, "an unknown field in "+name, marshal(t, r), s)
	}
}

// ledger returns what changes the changes of the ledger of a delta.
func ledger(change func(*logpb.Delta, *logpb.LedgerChanges)) func(*logpb.Delta) {
	return func(p *logpb.Delta) {
		var changes logpb.LedgerChanges
		if err := proto.Unmarshal(p.Ranges[0].Ledger.Changes, &changes); err != nil {
			panic(err)
		}
		change(p, &changes)
		value, err := proto.Marshal(&changes)
		if err != nil {
			panic(err)
		}
		p.Ranges[0].Ledger = &logpb.LedgerPart{Changes: value, Checksum: codec.Checksum(value)}
	}
}

func mustBeNewer(t *testing.T, name string, value []byte, inForce *spec.Spec) {
	t.Helper()
	for _, state := range []*fold.State{before(t, inForce), before(t, nil)} {
		_, err := codec.Decode(value, state.Next(), state.Reading())
		var newer *codec.NewerError
		if !errors.As(err, &newer) || newer.Offset != state.Next() {
			t.Errorf("%s: %v, want a NewerError of offset %d", name, err, state.Next())
		}
	}
}

// Records that are wrong are passed over: Unreadable and nothing else, so that the fold cannot take
// them for a delta, and with them no worker stops.
func TestUnreadable(t *testing.T) {
	sp, d := goldenDelta(t)
	long := strings.Repeat("x", 300)
	for name, change := range map[string]func(*logpb.Delta){
		"a short fingerprint":          func(p *logpb.Delta) { p.Counting = p.Counting[:31] },
		"a long fingerprint":           func(p *logpb.Delta) { p.Counting = append(p.Counting, 0) },
		"no fingerprint":               func(p *logpb.Delta) { p.Counting = nil },
		"no topic":                     func(p *logpb.Delta) { p.Ranges[0].Topic = "" },
		"a topic with a NUL":           func(p *logpb.Delta) { p.Ranges[0].Topic = "a\x00b" },
		"a topic of 300 bytes":         func(p *logpb.Delta) { p.Ranges[0].Topic = long },
		"a negative partition":         func(p *logpb.Delta) { p.Ranges[0].Partition = -1 },
		"a skip without reason":        func(p *logpb.Delta) { p.Ranges[0].SkippedReason = nil },
		"a reason that is not":         func(p *logpb.Delta) { p.Ranges[0].SkippedReason[0] = 7 },
		"a ledger out of order":        ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Offset[1] = -1 }),
		"a ledger beyond the end":      ledger(func(p *logpb.Delta, c *logpb.LedgerChanges) { c.Offset[len(c.Offset)-1] = p.Ranges[0].End }),
		"a ledger before the start":    ledger(func(p *logpb.Delta, c *logpb.LedgerChanges) { c.Offset[0] = p.Ranges[0].Start - 1 }),
		"a ledger without id":          ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Id, c.Ids = nil, nil }),
		"an id too long":               ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Id[0] += 1000 }),
		"an id that is not UTF-8":      ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Ids[0] = 0xff }),
		"bytes of ids left over":       ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Ids = append(c.Ids, 'x') }),
		"ids missing":                  ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Id = c.Id[1:] }),
		"a label missing":              ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Label = c.Label[1:] }),
		"a checksum missing":           ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Sum = c.Sum[1:] }),
		"a place too many":             ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.At = []int64{1, 2, 3, 4, 5, 6, 7} }),
		"a name that is not there":     ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Label[0] = 99 }),
		"a time before all":            ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Time = make([]int64, len(c.Sum)); c.Time[0] = -1 }),
		"no range":                     func(p *logpb.Delta) { p.Ranges = nil },
		"a ledger of another checksum": func(p *logpb.Delta) { p.Ranges[0].Ledger.Checksum ^= 1 },
		"no words":                     func(p *logpb.Delta) { p.Counts.Tables = p.Counts.Tables[1:] },
		"values out of order":          func(p *logpb.Delta) { p.Counts.Tables[1].Number = 1 },
		"terms of no kind":             func(p *logpb.Delta) { p.Counts.Tables[0].Kind = 0 },
		"no counts":                    func(p *logpb.Delta) { p.Counts = nil },
		"a class of a megabyte":        func(p *logpb.Delta) { p.Counts.Classes[1] = strings.Repeat("x", 1<<20) },
		"a class of two lines":         func(p *logpb.Delta) { p.Counts.Classes[1] += "\nx" },
		"a term that is not UTF-8":     func(p *logpb.Delta) { copy(p.Counts.Tables[0].Terms.Bytes, "\xff\xfe") },
		"a term cut in a character": func(p *logpb.Delta) {
			p.Counts.Tables[0].Terms.Bytes, p.Counts.Tables[0].Terms.Lengths = []byte("é"), []uint32{1, 1}
		},
		"a term with an escape":         func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Bytes[1] = 0x1b },
		"a value with a line break":     func(p *logpb.Delta) { p.Counts.Tables[1].Terms.Bytes[1] = '\n' },
		"a label of a megabyte":         ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Names[0] = strings.Repeat("x", 1<<20) }),
		"a class twice":                 func(p *logpb.Delta) { p.Counts.Classes[1] = p.Counts.Classes[0] },
		"documents missing":             func(p *logpb.Delta) { p.Counts.Documents = nil },
		"a category missing":            func(p *logpb.Delta) { p.Counts.Tables = p.Counts.Tables[:2] },
		"a block missing":               func(p *logpb.Delta) { p.Counts.Numbers = p.Counts.Numbers[1:] },
		"terms without rows":            func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Cells = nil },
		"a term too long":               func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Lengths[0] += 1000 },
		"a row too long":                func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Cells[0] += 1000 },
		"bytes left over":               func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Bytes = append(p.Counts.Tables[0].Terms.Bytes, 'x') },
		"a term twice":                  func(p *logpb.Delta) { copy(p.Counts.Tables[0].Terms.Bytes, "goalgoal") },
		"a class that is not there":     func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Class[0] = 9 },
		"a count of zero":               func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Count[0] = 0 },
		"a count of 2^50":               func(p *logpb.Delta) { p.Counts.Tables[0].Terms.Count[0] = 1 << 50 },
		"an anchor behind the range":    func(p *logpb.Delta) { p.Ranges[0].Anchor.Offset = p.Ranges[0].End },
		"an anchor before all records":  func(p *logpb.Delta) { p.Ranges[0].Anchor.Offset = -1 },
		"an anchor of no epoch":         func(p *logpb.Delta) { p.Ranges[0].Anchor.Epoch = -2 },
		"a topic id of 15 bytes":        func(p *logpb.Delta) { p.Ranges[0].Anchor.TopicId = p.Ranges[0].Anchor.TopicId[1:] },
		"a text that is gone":           ledger(func(_ *logpb.Delta, c *logpb.LedgerChanges) { c.Gone = make([]bool, len(c.Offset)); c.Gone[0] = true }),
		"scores of other candidates":    func(p *logpb.Delta) { p.Scores.Candidates = p.Scores.Candidates[1:] },
		"scores of nothing":             func(p *logpb.Delta) { p.Scores.Scored = 0 },
		"scores that are negative":      func(p *logpb.Delta) { p.Scores.Candidates[1].Errors = -1 },
		"a loss too large":              func(p *logpb.Delta) { p.Scores.Candidates[1].Loss[3] = 1 << 60 },
		"a temper missing":              func(p *logpb.Delta) { p.Scores.Candidates[1].Loss = p.Scores.Candidates[1].Loss[1:] },
		"a candidate too sure":          func(p *logpb.Delta) { p.Scores.Candidates[0].Confidence.Sum[0] = 1 << 60 },
		"a confidence of half a list":   func(p *logpb.Delta) { p.Scores.Confidence.Sum = p.Scores.Confidence.Sum[1:] },
		"upkeep that puts documents in": func(p *logpb.Delta) { p.Ranges[0].Start = p.Ranges[0].End },
		"sums cut short":                func(p *logpb.Delta) { s := p.Counts.Numbers[0].Classes; s[0] = s[0][:len(s[0])-1] },
		"sums with more":                func(p *logpb.Delta) { s := p.Counts.Numbers[0].Classes; s[0] = append(s[0], 0) },
		"a term that no key can be": func(p *logpb.Delta) {
			t := p.Counts.Tables[0].Terms
			t.Bytes, t.Lengths = append(bytes.Repeat([]byte("a"), 40000), t.Bytes[t.Lengths[0]:]...), append([]uint32{40000}, t.Lengths[1:]...)
		},
	} {
		r := &logpb.Record{}
		if err := proto.Unmarshal(encode(t, d), r); err != nil {
			t.Fatal(err)
		}
		change(r.GetDelta())
		mustPassOver(t, name, marshal(t, r), sp)
	}
	for name, value := range map[string][]byte{
		"nothing":        nil,
		"no protobuf":    {0xff, 0xff, 0xff},
		"no format":      {3<<3 | 2, 0},
		"format 0":       {1 << 3, 0, 3<<3 | 2, 0},
		"half a format":  {1 << 3, 0x80},
		"a format alone": {1 << 3, codec.Format},
		"a bad spec": marshal(t, &logpb.Record{Format: codec.Format, Kind: &logpb.Record_Spec{
			Spec: &logpb.Spec{Yaml: []byte("text: {alpha: -1}"), TokenizerRevision: tokenize.Revision},
		}}),
	} {
		mustPassOver(t, name, value, sp)
	}
}

// Controls that are wrong are passed over too.
func TestUnreadableControls(t *testing.T) {
	sp, _ := goldenDelta(t)
	for name, change := range map[string]func(*logpb.Control){
		"no kind":                  func(p *logpb.Control) { p.Kind = nil },
		"a reason without end":     func(p *logpb.Control) { p.Why = strings.Repeat("x", codec.MaxWhy+1) },
		"a void of nothing":        func(p *logpb.Control) { p.GetVoid().To = p.GetVoid().From },
		"a void from before all":   func(p *logpb.Control) { p.GetVoid().From = -1 },
		"marks and recount":        func(p *logpb.Control) { p.GetVoid().Recount = true },
		"a mark twice":             func(p *logpb.Control) { v := p.GetVoid(); v.Marks = append(v.Marks, v.Marks[0]) },
		"a mark of no topic":       func(p *logpb.Control) { p.GetVoid().Marks[0].Topic = "" },
		"a mark before its start":  func(p *logpb.Control) { p.GetVoid().Marks[0].Watermark = 0 },
		"a mark from before all":   func(p *logpb.Control) { p.GetVoid().Marks[1].Begin = -1 },
		"a mark that skips less":   func(p *logpb.Control) { p.GetVoid().Marks[1].Skipped = -1 },
		"a mark that lost less":    func(p *logpb.Control) { p.GetVoid().Marks[1].Lost = -1 },
		"a mark with a bad anchor": func(p *logpb.Control) { p.GetVoid().Marks[0].Anchor.Offset = 6 },
	} {
		r := &logpb.Record{}
		if err := proto.Unmarshal(encodeControl(t, goldenControls()["void.hex"]), r); err != nil {
			t.Fatal(err)
		}
		change(r.GetControl())
		mustPassOver(t, name, marshal(t, r), sp)
	}
}

// A log of an earlier format is refused by name. Behind a spec of this format its records are
// passed over: an old program writes there.
func TestEarlierFormats(t *testing.T) {
	sp, d := goldenDelta(t)
	bytesField := func(number protowire.Number, value []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), value)
	}
	for name, c := range map[string]struct {
		format uint32
		value  []byte
	}{
		"a spec of format 1":  {1, bytesField(1, bytesField(1, sp.YAML()))},
		"a delta of format 1": {1, bytesField(2, bytesField(1, d.Counting[:]))},
		"a spec of format 2":  {2, append([]byte{1 << 3, 2}, bytesField(2, bytesField(1, sp.YAML()))...)},
		"a delta of format 2": {2, append([]byte{1 << 3, 2}, bytesField(3, bytesField(1, d.Counting[:]))...)},
		"a delta of format 3": {3, append([]byte{1 << 3, 3}, bytesField(3, bytesField(1, d.Counting[:]))...)},
		"a delta of format 4": {4, append([]byte{1 << 3, 4}, bytesField(3, bytesField(1, d.Counting[:]))...)},
	} {
		_, err := codec.Decode(c.value, 0, before(t, nil).Reading())
		var old *codec.FormatError
		if !errors.As(err, &old) || old.Format != c.format || !strings.Contains(old.Error(), fmt.Sprintf("written in format %d, this program writes format 6", c.format)) {
			t.Errorf("%s at the start: %v, want a FormatError", name, err)
		}
		mustPassOver(t, name, c.value, sp)
	}
}

func mustPassOver(t *testing.T, name string, value []byte, sp *spec.Spec) {
	t.Helper()
	e, err := codec.Decode(value, 0, before(t, sp).Reading())
	if err != nil || e.Unreadable == nil || e.Delta != nil || e.Spec != nil {
		t.Errorf("%s: %+v, %v, want Unreadable and nothing else", name, e, err)
	}
	s := storetest.Start(t, sp, true)
	before := dumpOf(t, s)
	storetest.Fold(t, s, e, fold.Invalid)
	if after := dumpOf(t, s); after != before {
		t.Errorf("%s: the state was\n%s\nand is\n%s", name, before, after)
	}
}

// dumpOf is the state without its position in the log.
func dumpOf(t storetest.Fataler, s *fold.State) string {
	t.Helper()
	_, rest, _ := strings.Cut(storetest.Dump(t, s), "\n")
	return rest
}

// A delta of another model is foreign, whatever its counts look like here.
func TestForeignIsNotRead(t *testing.T) {
	_, d := goldenDelta(t)
	for name, sp := range map[string]*spec.Spec{"no spec": nil, "another": spec.Default()} {
		e, err := codec.Decode(encode(t, d), 0, before(t, sp).Reading())
		if err != nil || e.Unreadable != nil || e.Delta == nil {
			t.Fatalf("%s: %+v, %v", name, e, err)
		}
		s := fold.New(true)
		if sp != nil {
			s = storetest.Start(t, sp, true)
		}
		storetest.Fold(t, s, e, fold.Foreign)
	}
}
