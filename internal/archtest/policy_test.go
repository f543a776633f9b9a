package archtest

// Every directory directly under internal belongs to one of these groups;
// what lies deeper belongs to the same group.
var groups = map[string][]string{
	"core": {
		"tokenize", "bow", "counts", "smoothing", "multinomial", "bernoulli", "categorical", "gaussian",
		"neighbors", "logistic", "histogram", "model", "evaluate", "fold", "news", "spelling",
	},
	"shell": {
		"wire", "store", "stream", "modellog", "replica", "ingest", "classify", "console", "config", "broker", "demo", "worker", "cli", "version", "dataset", "offline",
		"exchange", "tune", "report", "progress", "completion",
	},
	"tests": {"modeltest", "storetest", "kafkatest", "archtest"},
}

// rule forbids imports. Packages and imports are patterns: a group ("core"), a
// path ("internal/store", "os"), a path and all below it ("os/..."), or
// everything ("..."). Paths of this module stand without the module's name.
type rule struct {
	name    string
	of      []string // the packages that the rule binds
	except  []string // but not these
	deny    []string // the imports that it forbids
	because string
}

// policy is a statement of intent. Change it when the design changes, not to
// make a build pass.
var policy = []rule{
	{
		name: "core does no I/O",
		of:   []string{"core"},
		deny: []string{
			"os", "os/...", "io/fs", "io/ioutil", "path/filepath", "net", "net/...", "syscall", "golang.org/x/sys/...", "embed",
			"log", "log/...", "runtime/...", "testing", "testing/...", "plugin",
		},
		because: "the core is a function of what it is handed: live, replay, restore and the tests share it, and a table rebuilt from the log must equal the one that was lost",
	},
	{
		name:    "core has no clock",
		of:      []string{"core"},
		deny:    []string{"time", "time/...", "context"},
		because: "the fold of one log must end in the same bits today, tomorrow and on another machine; whoever needs a time hands it in as data, and cancelling is the shell's business",
	},
	{
		name:    "core has no locks",
		of:      []string{"core"},
		deny:    []string{"sync", "sync/..."},
		because: "the shell decides who may touch a model when (one read lock a batch); a lock inside would hide that decision and cost every document",
	},
	{
		name:    "core has no chance",
		of:      []string{"core"},
		except:  []string{"internal/news", "internal/evaluate"},
		deny:    []string{"math/rand", "math/rand/...", "crypto/rand"},
		because: "equal inputs give equal counts and decisions on every replica, so nothing in the core may be seeded by the process; only the news generator and the folds of evaluate draw numbers, from the seed they are given",
	},
	{
		name:    "one seeded hash",
		of:      []string{"core"},
		except:  []string{"internal/bow"},
		deny:    []string{"hash/maphash"},
		because: "bow.Hash is seeded by the process against chosen collisions and places terms in tables only; any other use could let the seed show in a count, an order or a file",
	},
	{
		name:    "news draws from math/rand/v2 only",
		of:      []string{"internal/news"},
		deny:    []string{"math/rand", "crypto/rand"},
		because: "its stream is a function of the seed, and only math/rand/v2's named sources keep their sequence from one Go release to the next",
	},
	{
		name:    "core below shell",
		of:      []string{"core"},
		deny:    []string{"shell", "cmd/...", "tests"},
		because: "imports point one way, core below shell below cmd: the mathematics can be read, tested and used without knowing that Kafka exists",
	},
	{
		name:    "shell below cmd",
		of:      []string{"shell"},
		deny:    []string{"cmd/..."},
		because: "a command reads flags, calls Run and exits once; what another package could want from it belongs in a package",
	},
	{
		name:    "store knows no broker",
		of:      []string{"internal/store", "internal/modellog"},
		deny:    []string{"internal/stream", "internal/replica", "github.com/segmentio/kafka-go", "github.com/segmentio/kafka-go/...", "github.com/twmb/..."},
		because: "a checkpoint is a table and a log position; offline training, backup and inspection open it where no broker is",
	},
	{
		name:    "kafka-go behind one door",
		of:      []string{"..."},
		except:  []string{"internal/stream", "internal/kafkatest", "internal/broker", "bench/throughput"},
		deny:    []string{"github.com/segmentio/kafka-go", "github.com/segmentio/kafka-go/...", "github.com/twmb/..."},
		because: "kafka-go has traps (a reader that skips holes, read_committed that delivers aborted records, batches that unpack without a bound), and package stream is where each is closed, once; bench/throughput is what the workers are measured against",
	},
	{
		name:    "bbolt behind one door",
		of:      []string{"..."},
		except:  []string{"internal/store", "internal/storetest"},
		deny:    []string{"go.etcd.io/bbolt", "go.etcd.io/bbolt/..."},
		because: "counts and log position must change in one transaction and every row carries a checksum; a second writer of the format would keep neither promise",
	},
	{
		name:    "test support stays in tests",
		of:      []string{"..."},
		except:  []string{"tests"},
		deny:    []string{"tests", "testing", "testing/...", "github.com/google/go-cmp/...", "pgregory.net/rapid", "go.uber.org/goleak"},
		because: "what only tests need must not be compiled into the binaries that users run",
	},
	{
		name:    "no cgo",
		of:      []string{"..."},
		deny:    []string{"C"},
		because: "the binaries are static and run in an empty image",
	},
}

// Limits of source that is written by hand and is not a test.
const (
	maxFileLines     = 600
	maxFunctionLines = 60

	fileBecause     = "a file is read from top to bottom in one sitting; in every codebase the one file that nobody finds their way in is the longest"
	functionBecause = "a function that fits on a screen can be checked by eye; name the parts of a longer one"
	startBecause    = "the core runs on its caller's goroutine: the shell alone decides what runs at the same time, so that a fold has one order"
	documentBecause = "every exported name tells a reader what it promises without the code below it"
)
