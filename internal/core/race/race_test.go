package race

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"bayestream/internal/core/spec"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func listOf(t *testing.T, yaml string) *List {
	t.Helper()
	s, err := spec.Parse([]byte(yaml))
	if err != nil {
		t.Fatal(err)
	}
	return Of(s)
}

const threeYAML = "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: complement, alpha: 0.1}, {likelihood: complement, alpha: 1}]}\n"

// sums returns sums of n records in which candidates have these errors, and the least loss at these
// tempers.
func sums(n int64, errors []int64, tempers ...int) *Sums {
	s := NewSums(len(errors))
	s.Scored = n
	for i := range s.By {
		s.By[i].Errors = errors[i]
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] = n * Unit
		}
		if i < len(tempers) {
			s.By[i].Loss[tempers[i]] = 0
		}
	}
	return s
}

func fold(t *testing.T, s *State, d *Sums) Leader {
	t.Helper()
	if err := d.Check(s.List()); err != nil {
		t.Fatal(err)
	}
	if !s.Fold(s.List().Fingerprint(), d) {
		t.Fatal("sums of the list in force were not taken")
	}
	return s.Leader()
}

// The first candidate leads until 200 records are scored, then the best. From 2,000 on it changes only for one that is
// clearly better. It has the temper of the least loss.
func TestLeader(t *testing.T) {
	three := listOf(t, threeYAML)
	c := three.Racing()
	s := NewState(three)
	if got := fold(t, s, sums(199, []int64{99, 0, 0}, 3, 4, 5)); got != (Leader{c[0], startTempers[spec.Multinomial]}) {
		t.Errorf("199 records chose %v", got)
	}
	if got := fold(t, s, sums(1, []int64{1, 0, 1}, 3, 4, 5)); got != (Leader{c[1], grid[4]}) {
		t.Errorf("200 records chose %v, want %v with %v", got, c[1], grid[4])
	}
	if got := fold(t, s, sums(1799, []int64{0, 2, 0}, 3, 4, 5)); got != (Leader{c[2], grid[5]}) {
		t.Errorf("1999 records chose %v, want %v, which has one error less", got, c[2])
	}
	// From 2,000 on the other must have fewer errors by more than 5 + sqrt(100).
	for _, tt := range []struct {
		errors int64
		want   spec.Candidate
	}{{85, c[1]}, {84, c[2]}} {
		s := NewState(three)
		if first := fold(t, s, sums(2000, []int64{50, 40, 41})).Candidate; first != c[1] {
			t.Errorf("40 and 41 errors: %v leads, want %v", first, c[1])
		}
		if got := fold(t, s, sums(1000, []int64{150, 60, tt.errors - 41}, 0, 1, 2)); got.Candidate != tt.want {
			t.Errorf("100 and %d errors: %v leads, want %v", tt.errors, got.Candidate, tt.want)
		}
	}
}

// Of candidates with as many errors the one with the least loss leads, and so it is of
// multinomials.
func TestLeaderOfEqualErrors(t *testing.T) {
	s := NewState(listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 2}, {likelihood: one_vs_all, alpha: 1}]}"))
	d := sums(300, []int64{30, 30, 30})
	for i, loss := range []int64{50, 40, 30} {
		d.By[i].Loss[5] = loss * Unit
	}
	c := s.List().Racing()
	if got := fold(t, s, d); got != (Leader{c[2], grid[5]}) || s.Multinomial() != (Leader{c[1], grid[5]}) {
		t.Errorf("%v leads, and %v of the multinomials; want %v and %v", got, s.Multinomial(), c[2], c[1])
	}
}

// Four nats of log loss weigh as an error: few errors do not tell which candidate is better.
func TestLeaderOfErrorsAndLoss(t *testing.T) {
	for _, c := range []struct{ errors, loss, leads int64 }{{33, 39, 0}, {33, 37, 1}, {30, 49, 1}, {29, 55, 0}, {29, 53, 1}} {
		s := NewState(listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 2}]}"))
		d := sums(300, []int64{30, c.errors})
		d.By[0].Loss[5], d.By[1].Loss[5] = 50*Unit, c.loss*Unit
		if got := fold(t, s, d).Candidate; got != s.List().Racing()[c.leads] {
			t.Errorf("%+v: %v leads", c, got)
		}
	}
}

// Where all classes weigh alike a few errors less in small classes do not outweigh many in large ones.
func TestLeaderOfBalance(t *testing.T) {
	for _, c := range []struct{ cost, errors, leads int64 }{{190, 109, 1}, {190, 111, 0}, {150, 149, 1}, {210, 89, 1}} {
		s := NewState(listOf(t, "scoring: {by: balanced, candidates: [{likelihood: multinomial, alpha: 1}, {likelihood: multinomial, alpha: 2}]}"))
		d := sums(1000, []int64{100, c.errors})
		d.By[0].Cost, d.By[1].Cost = 200*Unit, c.cost*Unit
		if got := fold(t, s, d).Candidate; got != s.List().Racing()[c.leads] {
			t.Errorf("%+v: %v leads", c, got)
		}
	}
}

// Where the spec names losses the least cost leads, whatever the errors.
func TestLeaderOfLosses(t *testing.T) {
	s := NewState(listOf(t, threeYAML+"decision: {loss: {ham: {spam: 10}}}"))
	d := sums(1000, []int64{10, 20, 300})
	for i, cost := range []int64{300, 200, 100} {
		d.By[i].Cost = cost * Unit
	}
	if got, want := fold(t, s, d).Candidate, s.List().Racing()[2]; got != want {
		t.Errorf("%v leads, want %v", got, want)
	}
	if got := s.Table().Candidates; got[0].Cost != 3000 || got[2].Cost != 1000 { // in the unit of the losses
		t.Errorf("%+v", got)
	}
}

// By what is named the leader has the fewest errors, or the least costs.
func TestLeaderBy(t *testing.T) {
	const losses = "decision: {loss: {ham: {spam: 10}}}\n"
	for _, c := range []struct {
		yaml string
		want int
	}{{threeYAML, 0}, {losses + threeYAML, 1}, {losses + strings.Replace(threeYAML, "scoring: {", "scoring: {by: accuracy, ", 1), 0},
		{strings.Replace(threeYAML, "scoring: {", "scoring: {by: balanced, ", 1), 1}} {
		s := NewState(listOf(t, c.yaml))
		d := sums(1000, []int64{100, 200, 300})
		for i, cost := range []int64{300, 150, 200} {
			d.By[i].Cost = cost * Unit
		}
		if got, want := fold(t, s, d).Candidate, s.List().Racing()[c.want]; got != want {
			t.Errorf("%s: %v leads, want %v", c.yaml, got, want)
		}
	}
}

// An error weighs as much as its class is small, up to a limit.
func TestBalancedCost(t *testing.T) {
	for _, c := range []struct {
		documents, all int64
		classes        int
		want           int64
	}{{50, 100, 2, Unit}, {25, 100, 2, 2 * Unit}, {75, 90, 3, 2 * Unit / 5}, {1, 100, 2, 16 * Unit}, {0, 100, 2, 16 * Unit}, {0, 0, 1, 16 * Unit}} {
		if got := BalancedCost(c.documents, c.all, c.classes); got != c.want {
			t.Errorf("%d of %d documents, %d classes: %d, want %d", c.documents, c.all, c.classes, got, c.want)
		}
	}
}

// The shadow is scored and never leads.
func TestShadowNeverLeads(t *testing.T) {
	s := NewState(listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 1}], shadow: {likelihood: complement, alpha: 1}}"))
	if got := fold(t, s, sums(1000, []int64{900, 0})).Candidate; got != s.List().Scored()[0] {
		t.Errorf("%v leads", got)
	}
}

// Another list begins again, and the leader stays until 200 records are scored, even if it is not
// in the list.
func TestListChanges(t *testing.T) {
	three := listOf(t, threeYAML)
	s := NewState(three)
	leader := fold(t, s, sums(300, []int64{100, 0, 50}, 1, 2, 3))
	s.SetList(listOf(t, threeYAML+"name: another\nprior: empirical"))
	if s.Sums().Scored != 300 {
		t.Error("the same list began again")
	}
	s.SetList(listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 0.1}, {likelihood: multinomial, alpha: 1}]}"))
	if s.Fold(three.Fingerprint(), sums(300, []int64{0, 0, 0})) || s.Sums().Scored != 0 || s.Leader() != leader {
		t.Errorf("sums of another list were taken: %+v, leader %v", s.Sums(), s.Leader())
	}
	if got := fold(t, s, sums(199, []int64{0, 0})); got != leader {
		t.Errorf("199 records chose %v", got)
	}
	if got := fold(t, s, sums(1, []int64{0, 1}, 7)); got.Candidate != s.List().Racing()[0] {
		t.Errorf("%v leads, which is not in the list", got)
	}
}

// A score that is no likelihood does not lead under a spec whose prior cannot be added to it.
func TestPriorEndsTheLeadOfAScore(t *testing.T) {
	s := NewState(listOf(t, threeYAML))
	leader := fold(t, s, sums(300, []int64{100, 0, 50}))
	if spec.IsLikelihood(leader.Candidate.Likelihood) {
		t.Fatalf("%v leads, want a score", leader)
	}
	s.SetList(listOf(t, "text: {likelihood: complement, alpha: 1}")) // no race
	if s.Leader() != leader {
		t.Errorf("%v leads, want %v as before", s.Leader(), leader)
	}
	s.SetList(listOf(t, "prior: {a: 0.1, b: 0.9}\nscoring: {candidates: [{likelihood: multinomial, alpha: 0.1}]}"))
	if got, want := s.Leader(), StartOf(s.List().Racing()[0]); got != want {
		t.Errorf("%v leads, want %v: the prior does not allow the other", got, want)
	}
}

// What decides before a race has chosen anything is what the list in force begins with, and can be
// read back. Where that is no likelihood the first multinomial takes its place.
func TestStart(t *testing.T) {
	s := NewState(listOf(t, "scoring: {}"))
	for _, c := range []struct {
		yaml          string
		leads, second string
	}{
		{"scoring: {}", "one_vs_all/0.1/sublinear/shape/edges", "multinomial/0.1/sublinear/shape/edges"},
		{"prior: {a: 0.1, b: 0.9}", "multinomial/0.1/sublinear/shape/edges", "multinomial/0.1/sublinear/shape/edges"},
		{"scoring: {candidates: [{likelihood: complement, alpha: 2}]}", "complement/2", "multinomial/1"},
		{"text: {alpha: 2}", "multinomial/1", "multinomial/1"},
	} {
		s.SetList(listOf(t, c.yaml))
		if s.Leader().Candidate.String() != c.leads || s.Multinomial().Candidate.String() != c.second {
			t.Errorf("%s begins with %v and %v, want %s and %s", c.yaml, s.Leader(), s.Multinomial(), c.leads, c.second)
		}
		if _, err := Restore(s.List(), s.Sums(), s.Leader()); err != nil {
			t.Errorf("%s: %v", c.yaml, err)
		}
	}
}

// A spec with another list begins without what was known about how sure the candidates are.
func TestCalibrationIsOfTheList(t *testing.T) {
	s := NewState(listOf(t, threeYAML))
	d := sums(400, []int64{100, 200, 300})
	for i := range 400 {
		d.By[0].Confidence.Add(0.9, i%2 > 0)
	}
	leader := fold(t, s, d)
	if s.Calibration(leader) == nil || s.Calibration(s.lead(1)) != nil || s.Calibration(Leader{spec.Candidate{Likelihood: "another", Alpha: 1}, grid[0]}) != nil {
		t.Error("a candidate does not have the calibration of its own decisions")
	}
	s.SetList(listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 0.1}]}"))
	if s.Calibration(leader) != nil {
		t.Error("the calibration of another list is in force")
	}
}

// The table has two intervals of the leader in a row, and what the calibration makes of their mean.
func TestTableOfCalibration(t *testing.T) {
	s := NewState(listOf(t, "scoring: {}"))
	d := sums(1000, []int64{200, 300, 300, 300, 300, 300})
	h := &d.By[0].Confidence
	for range 400 {
		h.Add(0.7, true)
		h.Add(0.75, false) // the interval behind that of 0.7
	}
	h.Add(0.999999, true)
	fold(t, s, d)
	c := s.Calibration(s.Leader())
	table := s.Table().Calibration
	if len(table) != 2 || table[0].Records != 800 || table[0].Right != 0.5 || math.Abs(table[0].Posterior-0.725) > 1e-6 ||
		math.Abs(table[0].Calibrated-logistic(c.Of(math.Log(0.725/0.275)))) > 1e-6 {
		t.Errorf("%+v", table)
	}
	if last := table[len(table)-1]; last.Records != 1 || last.Right != 1 || !(last.Calibrated > 0.99 && last.Calibrated < 1) {
		t.Errorf("%+v", last)
	}
	if few := NewState(listOf(t, "scoring: {}")).Table().Calibration; few != nil {
		t.Errorf("nothing is scored, and the table has %+v", few)
	}
}

func drawSums(t *rapid.T, n int) *Sums {
	s := NewSums(n)
	s.Scored = rapid.Int64Range(0, 3000).Draw(t, "scored")
	s.Decided.Errors = rapid.Int64Range(0, s.Scored).Draw(t, "errors")
	s.Decided.Confidence[Bins-1].Records = s.Scored
	for i := range s.By {
		s.By[i].Errors = rapid.Int64Range(0, s.Scored).Draw(t, "errors")
		s.By[i].Cost = s.By[i].Errors * Unit / 3
		s.By[i].Confidence[i].Records = rapid.Int64Range(0, s.Scored).Draw(t, "confidence")
		for j := range s.By[i].Loss {
			s.By[i].Loss[j] = rapid.Int64Range(0, 1000).Draw(t, "loss") * s.Scored
		}
	}
	return s
}

// TestSumsLaws: sums are integers that pass their check, below full in any division into deltas; at
// full all are halved together, so that errors stay below the records.
func TestSumsLaws(t *testing.T) {
	three := listOf(t, threeYAML)
	rapid.Check(t, func(t *rapid.T) {
		one, many := NewState(three), NewState(three)
		all := NewSums(3)
		for range rapid.IntRange(0, 10).Draw(t, "deltas") {
			d := drawSums(t, 3)
			if err := d.Check(three); err != nil {
				t.Fatal(err)
			}
			many.Fold(three.of, d)
			all.Add(d)
			if err := many.Sums().Check(three); err != nil || many.Sums().Scored >= full {
				t.Fatalf("%+v: %v", many.Sums(), err)
			}
			if all.Scored >= full {
				return
			}
		}
		one.Fold(three.of, all)
		if diff := cmp.Diff(one.Sums(), many.Sums()); diff != "" {
			t.Fatalf("as one delta -, as many +:\n%s", diff)
		}
		all.Reset()
		if diff := cmp.Diff(NewSums(3), all); diff != "" {
			t.Fatalf("after Reset (-want +got):\n%s", diff)
		}
	})
}

// Sums of nothing but errors pass their check after they were halved.
func TestHalvedSumsPassTheirCheck(t *testing.T) {
	l := listOf(t, "scoring: {candidates: [{likelihood: multinomial, alpha: 1}]}\ndecision: {loss: {a: {b: 2}}}")
	s := NewState(l)
	d := sums(full+1, []int64{full + 1})
	d.Decided.Loss = (full + 1) * MaxLoss
	d.By[0].Cost = (full + 1) * Unit
	for j := range d.By[0].Loss {
		d.By[0].Loss[j] = d.Decided.Loss
	}
	fold(t, s, d)
	if err := s.Sums().Check(l); err != nil || s.Sums().Scored != full/2 {
		t.Errorf("%d records: %v", s.Sums().Scored, err)
	}
}

func TestCheckRefusesWhatCannotBe(t *testing.T) {
	three := listOf(t, threeYAML)
	good := func() *Sums { return sums(10, []int64{1, 2, 3}) }
	for name, damage := range map[string]func(s *Sums){
		"candidates": func(s *Sums) { s.By = s.By[1:] }, "tempers": func(s *Sums) { s.By[1].Loss = s.By[1].Loss[1:] },
		"scored": func(s *Sums) { s.Scored = -1 }, "few": func(s *Sums) { s.Scored = 2 }, "errors": func(s *Sums) { s.By[0].Errors = -1 },
		"loss": func(s *Sums) { s.By[2].Loss[5] = -1 }, "large": func(s *Sums) { s.By[2].Loss[5] = 11*MaxLoss + 1 }, "endless": func(s *Sums) { s.Scored = math.MaxInt64 },
		"cost": func(s *Sums) { s.By[2].Cost = 11*mostWeight*Unit + 1 }, "decided": func(s *Sums) { s.Decided.Errors = 11 }, "sum": func(s *Sums) { s.Decided.Loss = -1 },
		"bins":        func(s *Sums) { s.Decided.Confidence[3].Records = 11 },
		"bins in all": func(s *Sums) { s.By[1].Confidence[3].Records, s.By[1].Confidence[4].Records = 6, 5 },
		"right":       func(s *Sums) { s.By[1].Confidence[3].Right = 1 }, "surer than sure": func(s *Sums) { s.Decided.Confidence[0].Sum = Unit + 1 },
	} {
		s := good()
		damage(s)
		if err := s.Check(three); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if err := good().Check(three); err != nil {
		t.Error(err)
	}
}

func TestFixedLoss(t *testing.T) {
	for loss, want := range map[float64]int64{0: 0, 1: Unit, -1e-17: 0, 0.5 / Unit: 1, 0.25 / Unit: 0, 19.5: 19*Unit + Unit/2, 20: MaxLoss, 1e300: MaxLoss, math.Inf(1): MaxLoss} {
		if got := FixedLoss(loss); got != want {
			t.Errorf("%v is %d, want %d", loss, got, want)
		}
	}
	if got := FixedLoss(math.NaN()); got != MaxLoss {
		t.Errorf("NaN is %d, want %d", got, MaxLoss)
	}
}

func TestBin(t *testing.T) {
	for confidence, want := range map[float64]int{0: 0, 0.001: 0, 0.4999: 8, 0.5: 9, 0.9: 13, 0.999: 22, 0.9999: 25, 1: 25} {
		if got := Bin(confidence); got != want {
			t.Errorf("%v is in bin %d, want %d", confidence, got, want)
		}
	}
}

func TestCost(t *testing.T) {
	plain, skewed := listOf(t, ""), listOf(t, "decision: {loss: {ham: {spam: 4, ham: 2}}}")
	for _, c := range []struct {
		l              *List
		truth, decided string
		want           int64
	}{
		{plain, "a", "b", Unit}, {plain, "a", "a", 0}, {skewed, "ham", "spam", Unit}, {skewed, "spam", "ham", Unit / 4}, {skewed, "ham", "ham", Unit / 2}, {skewed, "spam", "spam", 0},
	} {
		if got := c.l.Cost(c.truth, c.decided); got != c.want {
			t.Errorf("deciding %s for %s costs %d, want %d", c.decided, c.truth, got, c.want)
		}
	}
}

// A list is known by its candidates in their order, the shadow, and the losses.
func TestFingerprint(t *testing.T) {
	seen := map[Fingerprint]string{}
	for _, yaml := range []string{
		"text: {alpha: 1}", "scoring: {}", threeYAML, threeYAML + "decision: {loss: {a: {b: 2}}}", threeYAML + "decision: {loss: {a: {b: 3}}}",
		"scoring: {candidates: [{likelihood: complement, alpha: 1}, {likelihood: multinomial, alpha: 1}]}", "scoring: {candidates: [{likelihood: multinomial, alpha: 1}]}",
		"scoring: {candidates: [{likelihood: complement, alpha: 1}], shadow: {likelihood: multinomial, alpha: 1}}", threeYAML + "text: {weight: 2}", strings.Replace(threeYAML, "scoring: {", "scoring: {by: balanced, ", 1),
	} {
		of := listOf(t, yaml).Fingerprint()
		if other, twice := seen[of]; twice {
			t.Errorf("%q has the fingerprint of %q", yaml, other)
		}
		seen[of] = yaml
	}
	if listOf(t, "scoring: {}").Fingerprint() != listOf(t, "scoring: {share: 4}\ndecision: {reject: 0.1}").Fingerprint() {
		t.Error("a share changes what sums are of")
	}
}

// Another prior, or another smoothing of what stands beside the words, makes other decisions: their
// sums are not added.
func TestListsOfOtherDecisions(t *testing.T) {
	const spec = "scoring: {candidates: [{likelihood: multinomial, alpha: 1}]}\ntext: {}\ncategories: [{field: c, alpha: %v}]\nprior: {a: %v, b: 0.5}"
	same := listOf(t, fmt.Sprintf(spec, 1, 0.5)).Fingerprint()
	if listOf(t, fmt.Sprintf(spec, 1, 0.5)).Fingerprint() != same {
		t.Error("equal lists have other fingerprints")
	}
	for _, other := range []string{fmt.Sprintf(spec, 1, 0.0001), fmt.Sprintf(spec, 2, 0.5)} {
		if listOf(t, other).Fingerprint() == same {
			t.Errorf("%s has the fingerprint of another list", other)
		}
	}
}

// What begins a race may lead it, and of a mail of 32 tokens each start says the same as of any text.
func TestStartTempers(t *testing.T) {
	for likelihood, start := range startTempers {
		mail := mailTempers[likelihood]
		for _, temper := range []spec.Temper{start, mail} {
			if !slices.Contains(grid, temper) {
				t.Errorf("%s begins with %v, which is not in the grid", likelihood, temper)
			}
		}
		if a, b := start.Tau(32, true), mail.Tau(32, true); math.Abs(a/b-1) > 0.01 {
			t.Errorf("%s begins with %v and %v, which are %.4f and %.4f of 32 tokens", likelihood, start, mail, a, b)
		}
	}
	s, err := spec.Parse([]byte("format: mail"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Of(s).start(), (Leader{s.Race.Candidates[0], mailTempers[spec.OneVsAll]}); got != want {
		t.Errorf("mails begin with %v, want %v", got, want)
	}
}
