package wire_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"bayestream/internal/shell/wire"
)

func TestBodyPrior(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"text":"x"}`, "map[] <nil>"},
		{`{"text":"x","prior":null}`, "map[] <nil>"},
		{`{"prior":{"spam":0.2,"ham":8e-1}}`, "map[ham:0.8 spam:0.2] <nil>"},
		{`{"prior":{"spam":0.2,"spam":0.8,"ham":0.5}}`, "map[ham:0.5 spam:0.2] <nil>"},
		{`{"pri\u006fr":{"\ud800\u0041":1},"prior":7}`, "map[\uFFFDA:1] <nil>"},
	} {
		got, err := wire.BodyPrior([]byte(c.body))
		if s := fmt.Sprint(got, " ", err); s != c.want {
			t.Errorf("%s: got %s, want %s", c.body, s, c.want)
		}
	}
	for _, body := range []string{
		`{"prior":1}`, `{"prior":"spam"}`, `{"prior":[0.2,0.8]}`, `{"prior":{}}`, `{"prior":{"spam":0}}`, `{"prior":{"spam":-1}}`, `{"prior":{"spam":"1"}}`, `{"prior":{"spam":1e999}}`,
	} {
		_, err := wire.BodyPrior([]byte(body))
		var r *wire.Reject
		if !errors.As(err, &r) || r.Reason != wire.BadPrior {
			t.Errorf("%s: got %v, want reason %s", body, err, wire.BadPrior)
		}
	}
}

// A class that the model does not have is named, beside those that it has.
func TestCheckPrior(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("class ", i))
	}
	for _, c := range []struct {
		prior   map[string]float64
		classes []string
		want    string
	}{
		{nil, []string{"ham"}, ""},
		{map[string]float64{"ham": 1}, []string{"ham", "spam"}, ""},
		{map[string]float64{"ham": 1, "sapm": 2, "zpam": 3}, []string{"ham", "spam"}, `bad prior: the model has no class "sapm"; it has ["ham" "spam"]`},
		{map[string]float64{"ham": 1}, nil, `bad prior: the model has no class "ham"; it has []`},
		{map[string]float64{strings.Repeat("x", 1<<20): 1}, many, `bad prior: the model has no class "` + strings.Repeat("x", 60) + `"...; it has 1000, like ["class 0" "class 1" `},
	} {
		err := wire.CheckPrior(c.prior, c.classes)
		var r *wire.Reject
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v of %q: %v", c.prior, c.classes, err)
		case c.want != "" && (!errors.As(err, &r) || r.Reason != wire.BadPrior || !strings.HasPrefix(err.Error(), c.want) || len(err.Error()) > 1000):
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
