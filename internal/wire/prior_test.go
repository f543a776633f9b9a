package wire_test

import (
	"errors"
	"fmt"
	"testing"

	"bayestream/internal/wire"
)

func TestBodyPrior(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"text":"x"}`, "map[] <nil>"},
		{`{"text":"x","prior":null}`, "map[] <nil>"},
		{`{"prior":{"spam":0.2,"ham":8e-1}}`, "map[ham:0.8 spam:0.2] <nil>"},
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
