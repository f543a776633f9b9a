package gaussian_test

import (
	"fmt"
	"math"
	"testing"

	"bayestream/internal/gaussian"
)

func numbers(x ...float64) []gaussian.Number {
	out := make([]gaussian.Number, len(x))
	for i, v := range x {
		f, err := gaussian.Fixed(v, gaussian.DefaultDigits)
		if err != nil {
			panic(err)
		}
		out[i] = gaussian.Number{Value: f, Present: true}
	}
	return out
}

// block is a block with the options that it was made with.
type block struct {
	*gaussian.Block
	o gaussian.Options
}

func newBlock(o gaussian.Options) block { return block{gaussian.NewBlock(o), o} }

func learnRows(b block, class int, rows ...[]gaussian.Number) {
	for _, r := range rows {
		s := gaussian.NewSums(b.o.Fields, b.o.Full())
		s.Observe(r, 1)
		b.Add(class, s)
	}
}

// Children and adults of lecture 3, by height and weight as the slide has them: is somebody of
// (120, 120) a child? The slide prints p(x|child) = 5.56e-7, which is a slip: its rounded
// parameters (mean 60, variance 425) give 7.85e-8, the exact ones 6.11e-8.
func ExampleBlock() {
	b := newBlock(gaussian.Options{Fields: 2, Digits: gaussian.DefaultDigits})
	for _, v := range []float64{60, 50, 40, 40, 40, 30, 60, 70, 50, 90, 90, 90} {
		learnRows(b, 0, numbers(v, v))
	}
	for _, v := range []float64{170, 180, 160, 170} {
		learnRows(b, 1, numbers(v, v))
	}
	b.Prepare([]int{0, 1})
	ll := make([]float64, 2)
	b.LogLikelihood(ll, []int{0, 1}, numbers(120, 120), make([]float64, 2))
	for c, name := range []string{"child", "adult"} {
		mean, variance, _ := b.Moments(c, 0)
		fmt.Printf("%s: mean %.4f, variance %.4f, p(x|%s) = %.3g\n", name, mean, variance, name, math.Exp(ll[c]))
	}
	// Output:
	// child: mean 59.1667, variance 424.3056, p(x|child) = 6.11e-08
	// adult: mean 170.0000, variance 50.0000, p(x|adult) = 6.14e-25
}

// The temperatures of lecture 3, with the unbiased variance (n-1).
func ExampleOptions() {
	b := newBlock(gaussian.Options{Fields: 1, Unbiased: true, Digits: gaussian.DefaultDigits})
	for _, v := range []float64{25.2, 19.3, 18.5, 21.7, 20.1, 24.3, 22.8, 23.1, 19.8} {
		learnRows(b, 0, numbers(v))
	}
	for _, v := range []float64{27.3, 30.1, 17.4, 29.5, 15.1} {
		learnRows(b, 1, numbers(v))
	}
	b.Prepare([]int{0, 1})
	for c, name := range []string{"yes", "no"} {
		mean, variance, _ := b.Moments(c, 0)
		fmt.Printf("%s: mean %.2f, standard deviation %.2f\n", name, mean, math.Sqrt(variance))
	}
	// Output:
	// yes: mean 21.64, standard deviation 2.35
	// no: mean 23.88, standard deviation 7.09
}

// The discriminant functions of LDA differ between classes as the log likelihoods do.
func TestDiscriminantEqualsLikelihoodRatio(t *testing.T) {
	b := newBlock(gaussian.Options{Fields: 2, Kind: gaussian.LDA, Unbiased: true, Digits: gaussian.DefaultDigits})
	learnRows(b, 0, numbers(1, 2), numbers(2, 1), numbers(1.5, 3), numbers(0, 0.5))
	learnRows(b, 1, numbers(4, 2), numbers(5, 5), numbers(6, 3), numbers(5, 2))
	b.Prepare([]int{0, 1})
	ll := make([]float64, 2)
	x := []float64{3, -1}
	b.LogLikelihood(ll, []int{0, 1}, numbers(x...), make([]float64, 2))
	delta := make([]float64, 2)
	for c := range delta {
		w, w0, _ := b.Discriminant(c)
		delta[c] = w[0]*x[0] + w[1]*x[1] + w0
	}
	if got, want := delta[1]-delta[0], ll[1]-ll[0]; math.Abs(got-want) > 1e-9 {
		t.Fatalf("got %v, want %v", got, want)
	}
}

// Young classes must abstain, and never put NaN or an infinity into a decision.
func TestYoungClassesAbstain(t *testing.T) {
	for name, o := range map[string]gaussian.Options{
		"naive": {Fields: 2}, "shared": {Fields: 2, Variance: gaussian.Shared}, "isotropic": {Fields: 2, Variance: gaussian.Isotropic},
		"unbiased": {Fields: 2, Unbiased: true}, "lda": {Fields: 2, Kind: gaussian.LDA}, "qda": {Fields: 2, Kind: gaussian.QDA},
		"oas": {Fields: 2, Kind: gaussian.LDA, OAS: true},
	} {
		t.Run(name, func(t *testing.T) {
			o.Digits = gaussian.DefaultDigits
			b := newBlock(o)
			ll, buf, live := make([]float64, 2), make([]float64, 2), []int{0, 1}
			b.Prepare(live)
			if got := b.LogLikelihood(ll, live, numbers(1, 2), buf); got != gaussian.Abstained {
				t.Errorf("without rows: got outcome %v, want Abstained", got)
			}
			learnRows(b, 0, numbers(1, 2))
			b.Prepare(live)
			if got := b.LogLikelihood(ll, live, numbers(1, 2), buf); got != gaussian.Abstained {
				t.Errorf("with a class of one row and one of none: got outcome %v, want Abstained", got)
			}
			if why := b.Problem(0, numbers(1, 2)); why == (gaussian.Problem{}) {
				t.Error("nobody says why class 0 cannot evaluate")
			}
		})
	}
}

// A collinear covariance is singular however it is rounded, until it is shrunk.
func TestCollinearFieldsAreSingular(t *testing.T) {
	for _, c := range []struct {
		o    gaussian.Options
		want gaussian.Outcome
	}{
		{gaussian.Options{Fields: 2, Kind: gaussian.LDA}, gaussian.Abstained},
		{gaussian.Options{Fields: 2, Kind: gaussian.LDA, Shrinkage: 0.1}, gaussian.Voted},
		{gaussian.Options{Fields: 2, Kind: gaussian.QDA}, gaussian.Abstained},
		{gaussian.Options{Fields: 2, Kind: gaussian.QDA, RegParam: 0.1}, gaussian.Voted},
		{gaussian.Options{Fields: 2, Kind: gaussian.QDA, VarSmoothing: 1e-3}, gaussian.Voted},
	} {
		c.o.Digits = gaussian.DefaultDigits
		b := newBlock(c.o)
		for i := range 20 {
			v := 0.1 * float64(i)
			learnRows(b, i%2, numbers(v, 3*v))
		}
		b.Prepare([]int{0, 1})
		if got := b.LogLikelihood(make([]float64, 2), []int{0, 1}, numbers(1, 3), make([]float64, 2)); got != c.want {
			t.Errorf("%+v: got outcome %v, want %v", c.o, got, c.want)
		}
	}
}
