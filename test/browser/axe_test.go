//go:build browser

package browser

import _ "embed"

// Of the npm package axe-core 4.14.1, whose licence (MPL-2.0) stands beside it; only tests use it.
//
//go:embed axe/axe.min.js
var axe string

// wholly are the options of axe-core that run all its rules.
const wholly = `{resultTypes: ["violations"]}`

// accessible runs axe-core, in the dark only on contrast, and reports what it holds to be serious
// or critical.
func (p *tab) accessible(name string) {
	p.t.Helper()
	p.judge(name, wholly)
	p.window(sizes[1])
	p.judge(name+" in the dark", `{resultTypes: ["violations"], runOnly: ["color-contrast"]}`)
	p.window(sizes[0])
}

// judge runs axe-core with options.
func (p *tab) judge(name, options string) {
	p.t.Helper()
	if !evaluate[bool](p, "!!window.axe") {
		evaluate[any](p, axe+"; undefined")
	}
	run := `axe.run(document, ` + options + `).then((r) => r.violations.filter((v) => v.impact === "serious" || v.impact === "critical")
		.map((v) => v.id + ": " + v.help + "; " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? "")).join(", ")))`
	found := evaluate[[]string](p, run)
	for _, v := range found {
		p.t.Errorf("%s: %s", name, v)
	}
}
