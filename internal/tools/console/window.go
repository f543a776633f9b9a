package console

import (
	"time"

	"bayestream/internal/core/fold"
	"bayestream/internal/shell/httpapi"
)

// windowJSON is what stays counted of the stream.
type windowJSON struct {
	httpapi.ModelWindow

	Inside     int                   `json:"inside"` // documents
	Partitions []windowPartitionJSON `json:"partitions"`
}

// windowPartitionJSON is what the window holds of a partition. The times are null where the window
// counts documents.
type windowPartitionJSON struct {
	Topic     string     `json:"topic"`
	Partition int        `json:"partition"`
	Inside    int        `json:"inside"`
	Oldest    *time.Time `json:"oldest"`
	Newest    *time.Time `json:"newest"`
}

// windowOf returns what the window of a state with ledgers holds; says is nil if its spec has none.
func windowOf(s *fold.State, says *httpapi.ModelWindow) *windowJSON {
	if says == nil {
		return nil
	}
	out := &windowJSON{ModelWindow: *says, Partitions: []windowPartitionJSON{}}
	for _, src := range s.Sources() {
		ledger := s.Ledger(src)
		p := windowPartitionJSON{Topic: src.Topic, Partition: int(src.Partition), Inside: ledger.Inside()}
		if s.Spec().Limits.Window.Records == 0 && p.Inside > 0 {
			progress, _ := s.Progress(src)
			oldest, newest := time.UnixMilli(ledger.Oldest(fold.BeforeAll,
				1)[0].Time).UTC(), time.UnixMilli(progress.Newest).UTC()
			p.Oldest, p.Newest = &oldest, &newest
		}
		out.Inside += p.Inside
		out.Partitions = append(out.Partitions, p)
	}
	return out
}
