//go:build tools

package python

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"bayestream/internal/testing/filetest"
	"bayestream/internal/testing/processtest"
)

// recipe is a folder with the snippets under a heading of docs/recipes.md, and what runs them.
type recipe struct {
	t        *testing.T
	dir      string
	snippets []string
	env      []string
}

// newRecipe returns the recipe of a heading.
func newRecipe(t *testing.T, heading string) *recipe {
	t.Helper()
	page := string(filetest.Read(t, "../../docs/recipes.md"))
	_, section, found := strings.Cut(page, "\n## "+heading+"\n")
	if !found {
		t.Fatalf("docs/recipes.md has no heading %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	client, err := filepath.Abs(client)
	if err != nil {
		t.Fatal(err)
	}
	r := &recipe{t: t, dir: t.TempDir()}
	r.env = append(os.Environ(), "PATH="+bin+":"+filepath.Dir(python(t))+":"+os.Getenv("PATH"), "PYTHONPATH="+client)
	for _, m := range regexp.MustCompile("(?s)```[a-z]+\n(.*?)```").FindAllStringSubmatch(section, -1) {
		r.snippets = append(r.snippets, m[1])
	}
	return r
}

// python returns the Python of a virtual environment that has what the recipes import.
func python(t *testing.T) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	venv := filepath.Join(cache, "bayestream", "recipes-venv")
	stamp, wanted := filepath.Join(venv, "requirements.txt"), filetest.Read(t, "requirements.txt")
	name := filepath.Join(venv, "bin", "python")
	if got, err := os.ReadFile(stamp); err == nil && bytes.Equal(got, wanted) {
		return name
	}
	run(t, exec.Command("python3", "-m", "venv", "--clear", venv))
	run(t, exec.Command(name, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", "requirements.txt"))
	filetest.Write(t, stamp, wanted) // the sign that all of them are in
	return name
}

func (r *recipe) write(name, text string) {
	r.t.Helper()
	filetest.Write(r.t, filepath.Join(r.dir, name), text)
}

// command returns a command in the folder of the recipe.
func (r *recipe) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(r.t.Context(), name, args...)
	c.Dir, c.Env = r.dir, r.env
	return c
}

// shell runs a snippet of shell.
func (r *recipe) shell(text string) string {
	r.t.Helper()
	return run(r.t, r.command("bash", "-euo", "pipefail", "-c", text))
}

// python runs a snippet of Python.
func (r *recipe) python(text string) string {
	r.t.Helper()
	r.write("snippet.py", text)
	return run(r.t, r.command(python(r.t), "snippet.py"))
}

// duckDB runs a statement, and returns its rows.
func (r *recipe) duckDB(statement string) string {
	r.t.Helper()
	r.write("statement.sql", statement)
	return r.python("import duckdb\nrows = duckdb.sql(open('statement.sql').read())\nprint(rows.fetchall() if rows else '')\n")
}

const tickets = "id,body,queue\n1,the invoice is wrong,billing\n2,it does not start,support\n3,an invoice twice,billing\n4,,support\n"

func TestDuckDB(t *testing.T) {
	r := newRecipe(t, "DuckDB")
	r.write("tickets.csv", tickets)
	r.duckDB("COPY (SELECT * FROM read_csv('tickets.csv', all_varchar = true) WHERE body IS NOT NULL) TO 'tickets.parquet'")
	r.duckDB(r.snippets[0])
	r.shell(r.snippets[1])
	if got, want := strings.TrimSpace(r.duckDB(r.snippets[2])), "[('billing', 2, 0, 2), ('support', 1, 0, 1)]"; got != want {
		t.Errorf("the decisions are %s, want %s", got, want)
	}
}

// atServe returns a snippet whose client calls a serve.
func atServe(snippet string, s *served) string {
	return strings.ReplaceAll(snippet, "bayestream.Client()", fmt.Sprintf("bayestream.Client(%q, token=%q)", s.url, s.token))
}

// teach learns the tickets that have a text.
func (r *recipe) teach(s *served) {
	r.t.Helper()
	r.write("tickets.csv", tickets)
	r.python(atServe("import bayestream, csv\ndesk = bayestream.Client()\nfor t in csv.DictReader(open('tickets.csv')):\n"+
		"    t['body'] and desk.label(t['id'], t['queue'], t['body'])\n", s))
}

func TestPandas(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "pandas")
	r.teach(s)
	r.python(atServe(r.snippets[0], s))
	want := "id,body,queue,label,status\n1,the invoice is wrong,billing,billing,cold\n2,it does not start,support,support,cold\n" +
		"3,an invoice twice,billing,billing,cold\n4,,support,,\n"
	if got := string(filetest.Read(t, filepath.Join(r.dir, "labelled.csv"))); got != want {
		t.Errorf("the table is\n%s\nwant\n%s", got, want)
	}
}

// The statements run in ClickHouse. Its build for Python has no Kafka: it reads the statement of that
// engine, and the decisions go into a table of the same columns, twice.
func TestClickHouse(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "ClickHouse")
	r.teach(s)
	r.python(atServe("import bayestream\nbayestream.Client().classify([{'id': 'q1', 'text': 'an invoice'}, {'id': 'q2', 'text': 'start'}])\n", s))
	decisions := r.shell("bayestream labels --brokers=" + s.kafka + " --from=start --count=2 --json")
	r.write("tables.sql", r.snippets[0])
	r.write("decisions.jsonl", decisions)
	got := r.python(`
from chdb import session
topic, *others = open("tables.sql").read().strip().rstrip(";").split(";\n")
db = session.Session()
db.query("CREATE DATABASE recipes ENGINE = Atomic")
db.query("USE recipes")
try:
    db.query(topic)
except RuntimeError as missing: # a statement that cannot be read fails before
    print("Unknown table engine Kafka" in str(missing))
db.query(topic.partition("ENGINE = Kafka")[0] + "ENGINE = Null")
for statement in others:
    db.query(statement)
for _ in range(2):
    db.query("INSERT INTO labels_topic FORMAT JSONEachRow " + open("decisions.jsonl").read())
print(db.query("SELECT topic, partition, offset, id, label, status, posterior > 0.5, margin > 0 FROM decisions FINAL ORDER BY id", "CSV").data())
`)
	want := "True\n\"documents\",0,0,\"q1\",\"billing\",\"cold\",1,1\n\"documents\",0,1,\"q2\",\"support\",\"cold\",1,1\n"
	if strings.TrimSpace(got) != strings.TrimSpace(want) {
		t.Errorf("the table has\n%s\nwant\n%s", got, want)
	}
}

// A second classify writes the decisions for a label to a topic, and each becomes a message.
func TestSlack(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "Slack")
	r.teach(s)
	got := make(chan string, 1)
	slack := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) // what is missing shows below
		got <- q.Header.Get("Content-Type") + " " + string(body)
	}))
	defer slack.Close()
	c := toolbox(t, "classify", "--brokers="+s.kafka, "--route=billing=alerts", "--group=alerts", "--labels-topic=rest", "--create-topics", "--http=127.0.0.1:0")
	r.background(c)
	r.python(atServe("import bayestream\nbayestream.Client().classify([{'id': 'q0', 'text': 'start'}, {'id': '<q1>', 'text': 'an invoice'}])\n", s))
	r.env = append(r.env, "SLACK_WEBHOOK="+slack.URL)
	r.write("slack.py", r.snippets[1])
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) { // the topic is made by classify
		out, err := toolbox(t, "labels", "--brokers="+s.kafka, "--topic=alerts", "--once").CombinedOutput()
		if err == nil {
			break
		}
		if time.Since(begun) > time.Minute {
			t.Fatalf("there is no topic: %v: %s", err, out)
		}
	}
	r.shell(strings.ReplaceAll(r.snippets[0], "bayestream labels", "bayestream labels --brokers="+s.kafka+" --from=start --count=1"))
	if want, message := `application/json {"text": "billing: &lt;q1&gt; (`, <-got; !strings.HasPrefix(message, want) || !strings.Contains(message, "invoic") {
		t.Errorf("the message is %s, want %s", message, want)
	}
}

// startReview starts a classify that routes what it is not sure of as the recipe of the language
// model says.
func (r *recipe) startReview(s *served) {
	r.t.Helper()
	r.teach(s)
	snippet := newRecipe(r.t, "A language model").snippets[0]
	route := strings.TrimPrefix(strings.TrimSpace(snippet), "classify ")
	r.background(r.command("bash", "-c", "exec bayestream classify "+route+" --create-topics --group=reviewed --labels-topic=rest --http=127.0.0.1:0 --brokers="+s.kafka))
	r.env = append(r.env, "KAFKA="+s.kafka)
}

// learns waits until a second ticket is learned as support, and returns what a name has taught.
func (r *recipe) learns(s *served, by string) string {
	r.t.Helper()
	r.python(atServe("import bayestream, time\ndesk = bayestream.Client()\nwhile desk.labels()['support'] < 2: time.sleep(0.1)\n", s))
	return r.shell("bayestream log --by='" + by + "' --json --brokers=" + s.kafka)
}

// A language model answers what classify is not sure of, and ingest learns it from where the document
// is, by its name. What is none of the labels is not learned.
func TestLanguageModel(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "A language model")
	r.startReview(s)
	asked := make(chan string, 10)
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) // what is missing shows below
		asked <- q.URL.Path + " " + q.Header.Get("Authorization") + " " + string(body)
		label := "support"
		if strings.Contains(string(body), "a joke") {
			label = "I am not sure."
		}
		_, _ = fmt.Fprintf(w, `{"choices": [{"message": {"role": "assistant", "content": " %s\n"}}]}`, label)
	}))
	defer model.Close()
	r.env = append(r.env, "API="+model.URL, "API_KEY=key", "MODEL=small")
	r.write("teacher.py", r.snippets[1])
	r.background(r.command(python(t), "teacher.py"))
	r.python(atServe("import bayestream\nbayestream.Client().classify([{'id': 'q0', 'text': 'a joke'}, {'id': 'q1', 'text': 'an invoice'}])\n", s))
	if got := r.learns(s, "llm"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"id":"q1","label":"support"`) {
		t.Errorf("it taught\n%s\nwant q1 alone", got)
	}
	<-asked
	question := <-asked
	for _, want := range []string{"/v1/chat/completions Bearer key", `"model": "small"`, `nothing else: billing, support"`, `"content": "an invoice"`} {
		if !strings.Contains(question, want) {
			t.Errorf("the question is %s, want %s in it", question, want)
		}
	}
}

// Tasks come with a prediction, and what a person chooses comes back by the webhook. One who is not
// Label Studio teaches nothing.
func TestLabelStudio(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "Label Studio")
	r.startReview(s)
	tasks := make(chan string, 10)
	studio := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body) // what is missing shows below
		switch q.Method + " " + q.URL.Path + " " + q.Header.Get("Authorization") {
		case "POST /api/projects/7/import Token secret":
			tasks <- string(body)
			_, _ = io.WriteString(w, `{"task_count": 1}`)
		case "GET /api/tasks/19 Token secret":
			_, _ = io.WriteString(w, `{"id": 19, "data": {"text": "an invoice", "id": "q1", "source": {"topic": "documents", "partition": 0, "offset": 0}}}`)
		default:
			http.Error(w, q.URL.Path, http.StatusNotFound)
		}
	}))
	defer studio.Close()
	address := processtest.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	r.env = append(r.env, "STUDIO="+studio.URL, "STUDIO_TOKEN=secret", "PROJECT=7", "WEBHOOK_SECRET=hook", "PORT="+port)
	r.write("studio.py", r.snippets[0])
	r.background(r.command(python(t), "studio.py"))
	r.python(atServe("import bayestream\nbayestream.Client().classify([{'id': 'q1', 'text': 'an invoice'}])\n", s))
	task := <-tasks
	for _, want := range []string{`"text": "an invoice"`, `"id": "q1"`, `"choices": ["billing"]`, `"topic": "documents"`} {
		if !strings.Contains(task, want) {
			t.Errorf("the task is %s, want %s in it", task, want)
		}
	}
	const annotation = `{"action": "ANNOTATION_CREATED", "annotation": {"id": 17, "task": 19, "completed_by": 1, "result": [{"from_name": "label", "to_name": "text", "type": "choices", "value": {"choices": ["%s"]}}]}}`
	for _, x := range []struct{ secret, event, want string }{
		{"guess", fmt.Sprintf(annotation, "billing"), "403 "},
		{"hook", `{"action": "ANNOTATION_CREATED", "annotation": {"id": 16, "task": 19, "completed_by": 1, "was_cancelled": true, "result": []}}`, "200 "},
		{"hook", `{"action": "PROJECT_UPDATED", "project": {"id": 7}}`, "200 "},
		{"hook", fmt.Sprintf(annotation, "support"), "200 "},
	} {
		if got := deliver(t, "http://"+address, x.event, "X-Secret", x.secret); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s is answered by %s, want %s", x.event, got, x.want)
		}
	}
	if got := r.learns(s, "label studio 1"); strings.Count(got, "\n") != 1 || !strings.Contains(got, `"id":"q1","label":"support"`) {
		t.Errorf("it taught\n%s\nwant q1 alone", got)
	}
}

// background starts a command that the end of the test ends.
func (r *recipe) background(c *exec.Cmd) {
	r.t.Helper()
	if err := c.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = c.Process.Signal(os.Interrupt)
		_ = c.Wait()
	})
}

func TestTicketSystem(t *testing.T) {
	s := startServe(t)
	r := newRecipe(t, "A ticket system")
	r.teach(s)
	address := processtest.FreeAddress(t)
	_, port, _ := net.SplitHostPort(address)
	r.env = append(r.env, "WEBHOOK_SECRET=secret", "PORT="+port)
	r.write("hook.py", atServe(r.snippets[0], s))
	c := r.command(python(t), "hook.py")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	for _, x := range []struct{ event, secret, want string }{
		{`{"type": "created", "ticket": {"id": "9", "body": "an invoice"}}`, "secret", `200 {"queue": "billing", "status": "cold"}`},
		{`{"type": "moved", "ticket": {"id": "9", "body": "an invoice", "queue": "support"}}`, "secret", "200 "},
		{`{"type": "created", "ticket": {"id": "10", "body": "x"}}`, "guess", "403 "},
	} {
		sum := hmac.New(sha256.New, []byte(x.secret))
		sum.Write([]byte(x.event))
		if got := deliver(t, "http://"+address, x.event, "X-Signature", hex.EncodeToString(sum.Sum(nil))); !strings.HasPrefix(got, x.want) {
			t.Errorf("%s is answered by %s, want %s", x.event, got, x.want)
		}
	}
	got := r.python(atServe("import bayestream, time\ndesk = bayestream.Client()\nwhile desk.labels()['support'] < 2: time.sleep(0.1)\nprint(desk.labels())\n", s))
	if want := "{'billing': 2, 'support': 2}\n"; got != want {
		t.Errorf("learned is %s, want %s", got, want)
	}
}

// deliver posts an event as soon as somebody listens, and returns the status and the answer.
func deliver(t *testing.T, url, event, header, value string) string {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(event))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set(header, value)
		resp, err := http.DefaultClient.Do(q)
		if err == nil {
			body, _ := io.ReadAll(resp.Body) // what is missing shows in the comparison
			_ = resp.Body.Close()
			return fmt.Sprintf("%d %s", resp.StatusCode, body)
		}
		if time.Since(begun) > time.Minute {
			t.Fatal(err)
		}
	}
}

// Two runs on a mailbox: what a person sorts is learned and moved, then new mail is sorted, and
// nothing is looked at twice.
func TestIMAP(t *testing.T) {
	r := newRecipe(t, "IMAP")
	box := newMailbox(t)
	host, port, _ := net.SplitHostPort(box.address)
	r.env = append(r.env, "IMAP_HOST="+host, "IMAP_USER=joe", "IMAP_PASSWORD=secret")
	snippet := strings.ReplaceAll(r.snippets[0], `imaplib.IMAP4_SSL(os.environ["IMAP_HOST"])`, `imaplib.IMAP4(os.environ["IMAP_HOST"], `+port+`)`)
	for i := range 25 {
		box.put("Learn/spam", fmt.Sprintf("From: win%d@example.com\r\nTo: joe@example.org\r\nSubject: prize\r\n\r\ncheap pills and prizes\r\n", i))
		box.put("Learn/ham", fmt.Sprintf("From: ann%d@example.org\r\nTo: joe@example.org\r\nSubject: lunch\r\n\r\nlunch on friday\r\n", i))
	}
	box.put("INBOX", "From: win@example.com\r\nTo: joe@example.org\r\nSubject: prize\r\n\r\ncheap prizes\r\n")
	r.python(snippet)
	want := map[string]int{"Junk": 26, "INBOX": 25}
	box.holds(want)
	box.put("INBOX", "From: bob@example.org\r\nTo: joe@example.org\r\nSubject: lunch\r\n\r\nfriday\r\n")
	asked := box.fetched
	r.python(snippet)
	want["INBOX"]++
	box.holds(want)
	if box.fetched != asked+1 {
		t.Errorf("the second run fetched %d mails, want the new one", box.fetched-asked)
	}
	var learned struct{ Documents int }
	if err := json.Unmarshal([]byte(r.shell("bayestream inspect --json --model=mails.db")), &learned); err != nil || learned.Documents != 50 {
		t.Errorf("%d mails are learned, want 50: %v", learned.Documents, err)
	}
}
