package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// mutant is the program without one rule.
type mutant struct {
	name    string
	changes []change
}

// change replaces a text that occurs once in a file of the module.
type change struct{ file, from, to string }

// mutants are the rules that the simulator must miss.
var mutants = []mutant{
	{"no compare-and-append", []change{
		{"internal/core/fold/accept.go", "\t\tcmp.Compare(r.Start, now.Watermark),\n", ""},
		{"internal/core/fold/accept.go", "case r.Previous == now.Previous:", "case true:"},
	}},
	{"no log id, and no delta before a delta", []change{
		{"internal/core/fold/accept.go", " || d.Log != s.log {", " {"},
		{"internal/core/fold/accept.go", "case r.Previous == now.Previous:", "case true:"},
	}},
	{"what is taken out leaves its corrections", []change{
		{"internal/shell/ingest/learn.go", "\tif o.before.Ahead != \"\" {\n\t\tb.builder", "\tif false {\n\t\tb.builder"},
	}},
	{"a rename leaves the class that was ahead", []change{
		{"internal/core/fold/ledger.go", "\tif c.ahead == from {\n", "\tif false {\n"},
	}},
	{"no delta before a delta", []change{
		{"internal/core/fold/accept.go", "case r.Previous == now.Previous:", "case true:"},
	}},
	{"no era", []change{
		{"internal/core/fold/accept.go", "\t\tcmp.Compare(d.Era, s.era),\n", ""},
		{"internal/core/fold/accept.go", "case d.EraCRC != s.eraCRC, ", "case "},
	}},
	{"no spec", []change{
		{"internal/core/fold/accept.go", "\t\tcmp.Compare(d.Spec, s.spec),\n", ""},
		{"internal/core/fold/accept.go", ", d.SpecCRC != s.specCRC:", ":"},
	}},
	{"a spec at the same offset is the same", []change{
		{"internal/core/fold/accept.go", "d.SpecCRC != s.specCRC:", "false:"},
	}},
	{"two equal deltas are one", []change{
		{"internal/core/fold/void.go", " || m.Path != src.Path", ""},
	}},
	{"no generation", []change{
		{"internal/core/fold/accept.go", "\t\tcmp.Compare(r.Generation, now.Generation),\n", ""},
		{"internal/core/fold/accept.go", "case r.Previous == now.Previous:", "case true:"},
	}},
	{"a sum counts if its first range does", []change{
		{
			"internal/core/fold/accept.go",
			"\tfor i := range d.Ranges {\n\t\tif outcome",
			"\tfor i := range d.Ranges[:1] {\n\t\tif outcome",
		},
	}},
	{"a sum counts one partition alone", []change{
		{
			"internal/core/fold/accept.go",
			"\tfor i := range d.Ranges {\n\t\ts.count",
			"\tfor i := range d.Ranges[:1] {\n\t\ts.count",
		},
	}},
	{"a sum counts a partition twice", []change{
		{
			"internal/core/fold/accept.go",
			"isInOrder := i == 0 || d.Ranges[i-1].Source.compare(r.Source) < 0",
			"isInOrder := true",
		},
		{"internal/shell/ingest/sum.go", "(isTaken || size", "(isTaken && false || size"},
	}},
	{"a rollback owes the forgets of one partition of a sum", []change{
		{
			"internal/core/fold/void.go",
			"\tfor i := range d.Ranges {\n\t\ts.oweOf",
			"\tfor i := range d.Ranges[:1] {\n\t\ts.oweOf",
		},
	}},
	{"a spec begins an era", []change{
		{"internal/core/fold/state.go", "\ts.spec = e.Offset\n", "\ts.spec = e.Offset\n\ts.beginEra(e.Offset, e.CRC)\n"},
	}},
	{"a spec that is taken out stays in force", []change{
		{"internal/core/fold/void.go", "\tif v.Recount {\n\t\tif e.Control",
			"\tif v.Recount {\n\t\tif e.Spec != nil {\n\t\t\ts.spec = e.Offset\n\t\t}\n\t\tif e.Control"},
	}},
	{"a control that is taken out begins no era", []change{
		{"internal/core/fold/void.go", "\t\t\ts.beginEra(v.At, v.CRC)\n", ""},
	}},
	{"a delta of two states", []change{
		{"internal/shell/ingest/sum.go", "\tif p.isOvertaken() {\n\t\treturn 0, errOvertaken\n\t}\n", ""},
		{"internal/shell/ingest/sum.go", "case standingIn(state, x.source) != x.built:", "case false:"},
	}},
	{"the id of the model log is not compared", []change{
		{"internal/shell/modellog/anchor.go", "case e.Log != state.Log():", "case false:"},
	}},
	{"a reset does not set the partition back", []change{
		{"internal/shell/ingest/reader.go", "\tr.cursor = 0\n\tr.settled", "\tr.settled"},
	}},
	{"no epoch", []change{
		{"internal/shell/modellog/replica.go", "return e.Read(func(*fold.State) {})", "return e.replica != nil"},
		{"internal/shell/modellog/replica.go", "holds = e.number == e.replica.epoch", "holds = true"},
	}},
	{"no eviction in the batch", []change{
		{"internal/core/fold/overlay.go", "\to.evict(o, o.newest)\n", ""},
	}},
	{"no eviction in the fold", []change{
		{"internal/core/fold/ledger.go", "\tl.evict(l, newest)\n", ""},
	}},
	{"a record finds what has left the window", []change{
		{"internal/core/fold/ledger.go", "return e.has(isOwed) && !l.window.IsZero()", "return false"},
	}},
	{"the anchor is not compared", []change{
		{"internal/shell/modellog/anchor.go", "codec.Checksum(got.Records[0].Value) != a.Checksum {",
			"codec.Checksum(nil) == a.Checksum {"},
		{"internal/shell/modellog/anchor.go", "got.LeaderEpoch != a.Epoch {", "false {"},
	}},
	{"the anchor of a source is not compared", []change{
		{"internal/shell/ingest/reader.go", "\tif err == nil && found.What != \"\" {\n", "\tif false {\n"},
	}},
	{"a checkpoint forgets the race", []change{
		{"internal/shell/store/load.go", "\tif meta.Race != nil {\n", "\tif false {\n"},
	}},
	{"a reset keeps the race", []change{
		{"internal/core/fold/control.go", "\t\ts.reset()\n", "\t\tr := s.race\n\t\ts.reset()\n\t\ts.race = r\n"},
	}},
	{"a reset keeps the teachers", []change{
		{"internal/core/fold/control.go", "\tclear(s.teachers)\n", ""},
	}},
	{"a document is scored again", []change{
		{"internal/shell/ingest/score.go", "learned == nil || learned.known || ", "learned == nil || "},
	}},
	{"a relabel has no name", []change{
		{"internal/shell/ingest/learn.go", "\tnow.By = t.By\n", ""},
	}},
	{"a name without an id is not said", []change{
		{"internal/shell/ingest/learn.go", " || b.keepsAll() || t.By != \"\" {", " || b.keepsAll() {"},
	}},
	{"a relabel is not bounded by its name", []change{
		{"internal/shell/ingest/open.go", "b.decoder.WeightOf(t.By, o.before.Weight)", "o.before.Weight"},
	}},
	{"no anchor without a record", []change{
		{"internal/shell/ingest/reader.go", "\t\treturn worker.Unread(b.end-1, id)\n", "\t\treturn fold.NoAnchor\n"},
	}},
	{"what is forwarded acts on any entry", []change{
		{"internal/shell/ingest/forward.go", "\tcase !forwarded:\n\t\treturn isNamed\n",
			"\tcase !forwarded:\n\t\treturn true\n"},
	}},
	{"what is forwarded is ordered by another record", []change{
		{"internal/shell/ingest/forward.go", "if entry == nil || textOf(&o.before) == o.entryAt {", "if entry == nil {"},
		{"internal/shell/ingest/forward.go", "\tif isAnother || t.ID != o.training.ID {\n", "\tif isAnother && false {\n"},
	}},
	{"what is forwarded is forwarded again", []change{
		{"internal/shell/ingest/forward.go", " !o.known, b.isOfAnotherTopic(&o.forward):\n\t\to.outdated = true\n",
			" b.isOfAnotherTopic(&o.forward):\n\t\to.outdated = true\n\tcase !o.known:\n\t\to.forwarded = false\n"},
	}},
	{"no order of what is forwarded", []change{
		{"internal/shell/ingest/forward.go", "\t\treturn last.From.Offset < from.Offset\n", "\t\treturn isNamed\n"},
	}},
	{"what is forwarded acts in another topic", []change{
		{"internal/shell/ingest/forward.go", ", !o.known, b.isOfAnotherTopic(&o.forward):\n", ", !o.known:\n"},
	}},
	{"what is written again acts whatever was said since", []change{
		{"internal/shell/ingest/since.go", "\tcase isLate:\n\t\to.outdated = true\n", "\tcase isLate:\n"},
	}},
	{"what is written again says it where it stands", []change{
		{"internal/shell/ingest/since.go", "isBetween(r) && r.from < said })",
			"isBetween(r) && (r.from < said || said != rec.Offset) })"},
	}},
	{"a second copy acts", []change{
		{"internal/shell/ingest/since.go", "return isBetween(r) && r.from == said })", "return false })"},
	}},
	{"what was said in deleted records is passed over", []change{
		{"internal/shell/ingest/since.go", "\tcase isCut:\n\t\to.refused = ", "\tcase isCut:\n\t\t_ = "},
	}},
	{"what has left the window is learned again", []change{
		{"internal/shell/ingest/since.go", "return n > 0 && o.record.Offset", "return false && o.record.Offset"},
	}},
	{"what is forwarded leaves no mark", []change{
		{"internal/shell/ingest/forward.go", "\tif o.training.Kind == wire.Relabel { // whoever", "\tif false { // whoever"},
	}},
	{"what was said since is read in another topic", []change{
		{"internal/shell/ingest/since.go", "(isOther || isEnd):", "(isOther && false || isEnd):"},
	}},
	{"no comparison behind a replaced log", []change{
		{"internal/shell/ingest/partition.go", "\tp.reader.doubt()\n\treturn err\n",
			"\tp.reader.cursor = 0\n\tp.reader.rest.Records = nil\n\treturn err\n"},
	}},
	{"forwarded without a record", []change{
		{"internal/shell/ingest/step.go", "\tif err := p.writer.sendForwards(drain, p.batch, written.forwarded); err != " +
			"nil {\n\t\treturn err\n\t}\n", ""},
	}},
	{"a rollback whose past is voided", []change{
		{"internal/core/fold/void.go", "\tcase s.isRewritten(e.Offset, v):\n\t\treturn Stale, nil\n", ""},
	}},
	{"a rollback of a reset whose past is voided", []change{
		{"internal/core/fold/void.go", "(takesOutControl || ", "("},
		{"internal/core/fold/void.go", "\ttakesOutControl := s.era > uint64(v.From)\n", ""},
	}},
	{"a state that has lost records refuses", []change{
		{"internal/shell/ingest/writer.go", "offset >= w.folded && s.Next() > offset", "s.Next() > offset"},
	}},
	{"no forget is owed behind a rollback", []change{
		{"internal/core/fold/void.go", "\t\t\tsrc.ledger.owe(c.ID, c.Offset)\n", ""},
	}},
	{"a rollback does not move the sources", []change{
		{"internal/core/fold/control.go", "\t\ts.move(c.Void.Marks)\n", ""},
	}},
	{"the ledger of another topic", []change{
		{"internal/core/fold/entry.go", "p.Generation != q.Generation || p.hasOtherID(q)", "p.Generation != q.Generation"},
	}},
	{"a record far ahead of its time counts", []change{
		{"internal/shell/ingest/window.go", "if b.pending.Newest() == 0 || ", "if true || "},
	}},
	{"no id behind a fetch", []change{
		{"internal/shell/worker/compare.go", "\t\tlen(got.Records) > 0 && got.TopicID != w.id ||\n", ""},
	}},
	{"the id is asked before the fetch", []change{
		{"internal/shell/ingest/reader.go", "\tgot, err := worker.Fetch(ctx",
			"\tid, _ := r.broker.TopicID(ctx, r.source.Topic, int(r.source.Partition))\n\tgot, err := worker.Fetch(ctx"},
		{"internal/shell/ingest/reader.go", "\tr.fetched = got\n", "\tgot.TopicID = id\n\tr.fetched = got\n"},
	}},
	{"the anchor has the id of the topic at the append", []change{
		{"internal/shell/ingest/step.go", "\toffset, err := p.append(drain)\n",
			"\tp.reader.late, _ = p.broker.TopicID(drain, p.source.Topic, " +
				"p.assign.Partition)\n\toffset, err := p.append(drain)\n"},
		{"internal/shell/ingest/reader.go", "\trecent  *recent\n", "\trecent  *recent\n\tlate    stream.TopicID\n"},
		{"internal/shell/ingest/reader.go", "\tid := r.seen.ID()\n", "\tid := r.late\n"},
	}},
	{"a log of another id is not compared", []change{
		{"internal/shell/modellog/replay.go", "isOther := len(got.Records) > 0 && got.TopicID != r.id\n",
			"isOther := false\n"},
	}},
	{"no spec for a log that was created again", []change{
		{"internal/shell/ingest/agree.go", "\tif specOf(epoch) == nil {\n\t\tin.log.Warn(", "\tif false {\n\t\tin.log.Warn("},
	}},
}

// Schedules that a mutant may pass, and where those begin whose partitions wait for each other.
const (
	usualMost = 10_000
	withSums  = 1_000_000
)

// first is where the schedules of a mutant begin that the first ones do not see: shortly before one
// that did.
var first = map[string]uint64{
	"a sum counts if its first range does":                  withSums,
	"a sum counts one partition alone":                      withSums,
	"a sum counts a partition twice":                        withSums,
	"a rollback owes the forgets of one partition of a sum": withSums + 1700,
	"no era":                                  40,
	"the anchor is not compared":              40,
	"no order of what is forwarded":           30,
	"a spec that is taken out stays in force": 270,
	"a rollback whose past is voided":         970,
}

// seenBy are the mutants that few schedules see, and a test that sees each. A seed that saw one
// means another schedule once the program asks for something more.
var seenBy = map[string]test{
	"a control that is taken out begins no era":       {foldTests, "TestRecountVoidOfRename"},
	"a delta of two states":                           {simulated, "TestLoopDropsWhatIsOvertaken"},
	"a log of another id is not compared":             {modellogTests, "TestLogIsCreatedAgainBetweenFetches"},
	"a rollback of a reset whose past is voided":      {foldTests, "TestRecountVoidBeforeRollbackOfReset"},
	"a spec at the same offset is the same":           {foldTests, "TestRefusedEntriesChangeNothing"},
	"a state that has lost records refuses":           {simulated, "TestUpkeepBehindLostRecords"},
	"no comparison behind a replaced log":             {simulated, "TestModelLogLosesRecordsBeforeTheNextGeneration"},
	"the id is asked before the fetch":                {simulated, "TestTopicIsCreatedAgainBetweenRequests"},
	"the id of the model log is not compared":         {modellogTests, "TestAppendComesToAnotherLog"},
	"the ledger of another topic":                     {foldTests, "TestRollbackOverAnotherTopic"},
	"two equal deltas are one":                        {foldTests, "TestRecountVoidOfATwin"},
	"what is forwarded acts in another topic":         {simulated, "TestForwardIntoAnotherTopic"},
	"what is forwarded is ordered by another record":  {simulated, "TestForwardedEntryIsOfAnotherTopic"},
	"what is forwarded leaves no mark":                {simulated, "TestMarkIsFirst"},
	"what was said in deleted records is passed over": {simulated, "TestRepeatsWithoutThePast"},
	"what was said since is read in another topic":    {simulated, "TestJudgedInAnotherTopic"},
}

// test is a test of a package, by the folder.
type test struct{ folder, name string }

const (
	foldTests     = "internal/core/fold"
	modellogTests = "internal/shell/modellog"
)

// apply returns the text of the file with the change.
func (c change) apply(text string) (string, error) {
	if n := strings.Count(text, c.from); n != 1 {
		return "", fmt.Errorf("%s has the text %q %d times, want it once: write the mutant again", c.file, c.from, n)
	}
	return strings.Replace(text, c.from, c.to, 1), nil
}

// overlay writes the changed files to dir, and returns the path of a file for go build -overlay. Of a
// mutant that schedules see, the tests beside the simulator are left out: they take longer to
// compile than the program.
func (m mutant) overlay(module, dir string) (string, error) {
	texts := map[string]string{}
	for _, c := range m.changes {
		text, ok := texts[c.file]
		if !ok {
			read, err := os.ReadFile(filepath.Join(module, c.file))
			if err != nil {
				return "", fmt.Errorf("mutant %q: %w", m.name, err)
			}
			text = string(read)
		}
		changed, err := c.apply(text)
		if err != nil {
			return "", fmt.Errorf("mutant %q: %w", m.name, err)
		}
		texts[c.file] = changed
	}
	replace := map[string]string{}
	for file, text := range texts {
		path := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("mutant %q: %w", m.name, err)
		}
		replace[filepath.Join(module, file)] = path
	}
	tests, err := filepath.Glob(filepath.Join(module, simulated, "*_test.go"))
	if err != nil {
		return "", fmt.Errorf("mutant %q: %w", m.name, err)
	}
	for _, path := range tests {
		if seenBy[m.name].name == "" && !strings.HasPrefix(filepath.Base(path), "simulation") {
			replace[path] = "" // go build leaves it out
		}
	}
	path := filepath.Join(dir, "overlay.json")
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("mutant %q: %w", m.name, err)
	}
	return path, os.WriteFile(path, list, 0o600)
}
