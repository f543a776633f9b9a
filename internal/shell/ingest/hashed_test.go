package ingest

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"bayestream/bench/labelled"
	"bayestream/internal/core/fold"
	"bayestream/internal/core/spec"
	"bayestream/internal/shell/config"
	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/storetest"
	"bayestream/internal/tools/demo/news"
	"bayestream/internal/tools/lab/exchange"
)

// shortest is how many letters a term must have to be searched for: a shorter one may be in a hash
// by chance.
const shortest = 7

// corpus returns training records, and what an attacker would search for in what is kept of them.
func corpus(t *testing.T) (records, secrets []string) {
	t.Helper()
	tokens, err := spec.Default().Tokenizer()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	add := func(s string) {
		if !seen[s] && len(s) >= shortest {
			seen[s] = true
			secrets = append(secrets, s)
		}
	}
	generator := news.New(7)
	var text string
	for i := range 150 {
		story := generator.Next()
		if i != 3 && i != 5 { // these are taken out again, and their words stay
			text = story.Text
		}
		id := fmt.Sprintf("customer-%04d", i)
		records = append(records, string(labelled.AppendTraining(nil, id, story.Label, text)))
		add(id)
		tokens.NewScanner().Scan([]byte(text), "", func(term []byte) { add(string(term)) })
	}
	records = append(records, `{"id":"customer-0003","label":"other","text":"replaced"}`, `{"id":"customer-0005","label":null}`)
	return records, secrets
}

// kept returns what is kept of a corpus that was learned: the log, the model file, an export.
func kept(t *testing.T, records []string, specText, keyFile string) (out map[string][]byte, documents int64) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "spec.yaml")
	filetest.Write(t, path, specText)
	out = map[string][]byte{}
	file := storetest.New(t)
	synctest.Test(t, func(t *testing.T) {
		l := startLoop(t, func(c *config.Ingest) {
			c.Spec = path
			c.TermsKeyFile = keyFile
			c.MaxRecords = 40
		})
		defer l.end()
		l.train(records...)
		l.learn()
		l.wantCounted(int64(len(records)), int64(len(records)-3)) // one is replaced, one forgotten
		for _, r := range l.memory.Records("model", 0) {
			out["log"] = append(out["log"], r.Value...)
		}
		l.replica.Read(func(s *fold.State) {
			documents = s.Model().Classes().Total()
			storetest.Checkpoint(t, file, s)
			var lines bytes.Buffer
			if err := exchange.WriteLines(context.Background(), &lines, s.Model(), s.Scores()); err != nil {
				t.Fatal(err)
			}
			out["export"] = lines.Bytes()
		})
	})
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	content := filetest.Read(t, file.Path())
	out["model file"] = content
	return out, documents
}

// With text.terms: hmac no term and no id of a corpus is in what is kept of it, and the same
// documents are counted, replaced and forgotten; with plain terms the same search finds them all.
func TestHashedTermsAreNotKept(t *testing.T) {
	records, secrets := corpus(t)
	keyFile := filepath.Join(t.TempDir(), "key")
	filetest.Write(t, keyFile, strings.Repeat("k", 40)+"\n")
	if len(secrets) < 300 {
		t.Fatalf("%d terms and ids are few to search for", len(secrets))
	}
	hashed, n := kept(t, records, "text: {terms: hmac, ngrams: 2}\n", keyFile)
	plain, m := kept(t, records, "text: {ngrams: 2}\n", "")
	if n != m {
		t.Errorf("%d documents are counted hashed, %d plain", n, m)
	}
	specText := strings.ToLower(string(spec.Default().YAML()))
	for where := range plain {
		missing := 0
		for _, s := range secrets {
			if strings.Contains(specText, s) {
				continue // a word of the spec itself
			}
			if bytes.Contains(hashed[where], []byte(s)) {
				t.Errorf("%q is in the %s", s, where)
			}
			if !bytes.Contains(plain[where], []byte(s)) && !(where == "export" && strings.HasPrefix(s, "customer-")) && s != "customer-0005" {
				missing++
			}
		}
		if missing > 0 {
			t.Errorf("the search does not find %d of %d in the plain %s", missing, len(secrets), where)
		}
	}
}
