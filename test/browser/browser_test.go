//go:build browser

package browser

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed checks.js
var checks string

// needs returns the value of a variable that run.sh sets.
func needs(t testing.TB, variable, what string) string {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		t.Fatalf("%s is not set: test/browser/run.sh sets it to %s", variable, what)
	}
	return value
}

// open starts the browser, with a profile of its own.
func open(t testing.TB) context.Context {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(needs(t, "BAYESTREAM_CHROMIUM", "the browser")), chromedp.UserDataDir(t.TempDir()), chromedp.Headless, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute),
	}
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("the browser does not start: %v", err)
	}
	return ctx
}

// tab is a page in the browser, and what it said and asked for.
type tab struct {
	t   testing.TB
	ctx context.Context
	url string

	mu     sync.Mutex
	said   []string
	loaded []string
}

// load opens a page in a new tab.
func load(browser context.Context, t testing.TB, url string) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	ctx, stop = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(stop)
	p := &tab{t: t, ctx: ctx, url: url}
	p.do() // opens the tab, so that no event is missed
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	call(p, network.Enable, network.EnableParams{})
	call(p, log.Enable, cdp.Empty{})
	p.do(chromedp.Navigate(url))
	return p
}

// call runs a command of the protocol.
func call[P any](p *tab, command cdp.Command[P, cdp.Empty], params P) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.t.Fatalf("%s: %v", p.url, err)
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatalf("%s: %v", p.url, err)
	}
}

// evaluate returns the value of an expression in the page, or what it promises.
func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", p.url, err)
	}
	return value
}

func (p *tab) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		if !strings.HasPrefix(e.Request.URL, "data:") {
			p.loaded = append(p.loaded, e.Request.URL)
		}
	case *runtime.EventConsoleAPICalled:
		p.said = append(p.said, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		said := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			said += ": " + e.ExceptionDetails.Exception.Description
		}
		p.said = append(p.said, said)
	case *log.EventEntryAdded:
		p.said = append(p.said, e.Entry.Text)
	}
}

// look is a way to look at a page.
type look struct {
	name   string
	width  int64
	height int64
	scheme string // light or dark
	media  string // screen or print
	mobile bool
}

var looks = []look{
	{"light", 1100, 900, "light", "screen", false},
	{"dark", 1100, 900, "dark", "screen", false},
	{"telephone light", 390, 844, "light", "screen", true},
	{"telephone dark", 390, 844, "dark", "screen", true},
	{"paper", 718, 1000, "dark", "print", false}, // A4 less margins, of a reader whose screen is dark
}

// details opens what can be opened, or puts it as it was.
const details = `document.querySelectorAll("details").forEach((d) => { d.dataset.was ??= d.open; d.open = %v || d.dataset.was === "true" })`

// problems looks at the page in one way and returns what is wrong.
func (p *tab) problems(l look, opened bool) []string {
	p.t.Helper()
	call(p, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.width, Height: l.height, DeviceScaleFactor: 1, Mobile: l.mobile})
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: l.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: l.scheme}}})
	evaluate[any](p, fmt.Sprintf(details, opened))
	return evaluate[[]string](p, checks)
}

// check looks at the page in all ways, with all that can be opened open and once as it comes, and
// at what it said and asked for.
func (p *tab) check() {
	p.t.Helper()
	for _, l := range looks {
		for _, problem := range p.problems(l, true) {
			p.t.Errorf("%s, opened: %s", l.name, problem)
		}
		p.shoot(l)
	}
	for _, problem := range p.problems(looks[0], false) {
		p.t.Errorf("%s: %s", looks[0].name, problem)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.said) > 0 {
		p.t.Errorf("the page says in the console: %q", p.said)
	}
	if want := []string{p.url}; !slices.Equal(p.loaded, want) {
		p.t.Errorf("the page asks for %q, want itself alone", p.loaded)
	}
}

// shoot keeps a picture of the page where BAYESTREAM_SCREENSHOTS names a folder.
func (p *tab) shoot(l look) {
	folder := os.Getenv("BAYESTREAM_SCREENSHOTS")
	if folder == "" {
		return
	}
	p.problems(l, false)
	png, err := chromedp.Run(p.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		p.t.Fatal(err)
	}
	name := strings.NewReplacer("/", " ", " ", "-").Replace(strings.TrimPrefix(p.t.Name(), "Test") + " " + l.name)
	if err := os.WriteFile(filepath.Join(folder, name+".png"), png, 0o600); err != nil {
		p.t.Error(err)
	}
}
