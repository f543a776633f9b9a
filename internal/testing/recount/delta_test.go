package recount

import "testing"

// A record that was forwarded, and later written again in its own partition, does not count. Who
// cannot read that it was forwarded, because the records between are deleted, may say so.
func TestRepeatedBehindACut(t *testing.T) {
	topics := NewTopics()
	topics.Create("training", "id", 2)
	other, own := topics.Source("training", 0), topics.Source("training", 1)
	relabel := &Record{ID: "d", Label: "a", Relabel: true}
	topics.Append(own, relabel)
	topics.Append(other, &Record{ID: "d", Label: "a", Relabel: true, Forwarded: &Forward{From: Place{own, 0}}})
	topics.Skip(own, 2)
	again := &Record{ID: "d", Label: "a", Forwarded: &Forward{From: Place{own, 0}}}
	topics.Append(own, again)
	c := &count1{Log: &Log{topics: topics}, id: own}
	for _, isCut := range []bool{false, true} {
		if isCut {
			topics.Truncate(own, 2)
		}
		for _, reason := range []string{"", superseded, unknownID} {
			want := superseded
			if isCut && reason == unknownID {
				want = unknownID
			}
			if got := c.repeated(Place{own, 3}, again, reason); got != want {
				t.Errorf("skipped as %q, cut: %v: it counts as %q, want %q", reason, isCut, got, want)
			}
		}
	}
}
