package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// mailOf returns a mail of which the header, the shape of the text and what it hides tell a class.
func mailOf(i int, class string) string {
	word := func(k int) string { return fmt.Sprintf("%s%d", class, (i+k*k)%9) }
	return fmt.Sprintf("Received: from %s.example by mx\nSubject: %s offer\nContent-Type: text/html\n\n<p>%s</p>"+
		"<p style=\"display:none\">%s</p>\n", word(1), word(2), strings.Repeat("read", 1+i%len(class)),
		strings.Repeat(word(3), 1+i%5)+" !!!")
}

// A model that train made of files decides on mails over HTTP as predict does on files: both read
// the same of a mail.
func TestServeDecidesOnMailsAsPredict(t *testing.T) {
	folder := t.TempDir()
	spec := filepath.Join(folder, "mails.yaml")
	files := fstest.MapFS{"mails.yaml": {Data: []byte("{format: mail, text: {corrections: true, characters: true}, " +
		"scoring: {candidates: [{likelihood: multinomial, alpha: 0.1, shape: true, corrections: 0.8}]}}")}}
	var fresh []string
	for i := range 60 {
		for _, class := range []string{"ham", "spam"} {
			files[fmt.Sprintf("learned/%s/%d.eml", class, i)] = &fstest.MapFile{Data: []byte(mailOf(i, class))}
		}
		name := fmt.Sprintf("fresh/%d.eml", i)
		files[name] = &fstest.MapFile{Data: []byte(mailOf(i, []string{"ham", "spam"}[i/3%2]))}
		fresh = append(fresh, filepath.Join(folder, name))
	}
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	d := newDesk(t)
	bayestream := func(args ...string) []byte {
		cmd := exec.Command(binary(t, "bayestream"), args...)
		cmd.Stderr = &d.log
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, &d.log)
		}
		return out
	}
	bayestream("train", "--again", "--model="+d.model, "--spec="+spec, filepath.Join(folder, "learned"))
	predicted := bayestream(append([]string{"predict", "--json", "--model=" + d.model}, fresh...)...)
	d.start()
	for i, line := range strings.SplitAfter(strings.TrimSpace(string(predicted)), "\n") {
		mail, err := os.Open(fresh[i])
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.Post("http://"+d.addr+"/v1/classify", "message/rfc822", mail)
		if err != nil {
			t.Fatal(err)
		}
		var got, want struct {
			LogPosterior map[string]float64 `json:"log_posterior"`
		}
		if err := json.NewDecoder(resp.Body).Decode(&got); err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if err := json.Unmarshal([]byte(line), &want); err != nil {
			t.Fatal(err)
		}
		for class, p := range want.LogPosterior {
			if math.Abs(got.LogPosterior[class]-p) > 1e-9 {
				t.Fatalf("mail %d is %s with %v, and predict says %v", i, class, got.LogPosterior[class], p)
			}
		}
	}
}
