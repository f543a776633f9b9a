package archtest

import (
	"fmt"
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// violation is one place that breaks one rule.
type violation struct {
	rule    string
	where   string // file:line
	what    string
	because string
}

func (v violation) String() string {
	return fmt.Sprintf("%s: %s\n\trule: %s\n\tbecause %s", v.where, v.what, v.rule, v.because)
}

// group returns the group of a package under internal, or "".
func group(pkg string) string {
	inside, ok := strings.CutPrefix(pkg, "internal/")
	if !ok {
		return ""
	}
	top, _, _ := strings.Cut(inside, "/")
	for name, members := range groups {
		if slices.Contains(members, top) {
			return name
		}
	}
	return ""
}

// matches tells whether a package path is meant by one of the patterns.
func matches(patterns []string, pkg string) bool {
	for _, pattern := range patterns {
		if _, isGroup := groups[pattern]; isGroup {
			if group(pkg) == pattern {
				return true
			}
			continue
		}
		above, all := strings.CutSuffix(pattern, "...")
		if pattern == pkg || all && strings.HasPrefix(pkg+"/", above) {
			return true
		}
	}
	return false
}

// binds tells whether the rule speaks of the package.
func (r *rule) binds(pkg string) bool {
	return matches(r.of, pkg) && !matches(r.except, pkg)
}

// checkImports returns every import that breaks a rule of the policy.
func checkImports(t *tree, policy []rule) []violation {
	var found []violation
	for i := range t.files {
		f := &t.files[i]
		for _, spec := range f.syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue // the parser has refused such a file before
			}
			local := strings.TrimPrefix(imported, t.module+"/")
			for j := range policy {
				if r := &policy[j]; r.binds(f.pkg) && matches(r.deny, local) {
					found = append(found, violation{r.name, t.line(spec), f.pkg + " imports " + imported, r.because})
				}
			}
		}
	}
	return found
}

// checkGroups returns every package under internal that no group names.
func checkGroups(t *tree) []violation {
	var found []violation
	seen := map[string]bool{}
	for i := range t.files {
		f := &t.files[i]
		if !strings.HasPrefix(f.pkg, "internal/") || seen[f.pkg] || group(f.pkg) != "" {
			continue
		}
		seen[f.pkg] = true
		found = append(found, violation{
			"every package has a place", f.name, f.pkg + " is in no group",
			"a package that no rule binds is where the layers begin to leak: enter it in groups, in policy_test.go",
		})
	}
	return found
}

// checkGoroutines returns every goroutine and channel of the core.
func checkGoroutines(t *tree) []violation {
	var found []violation
	for i := range t.files {
		f := &t.files[i]
		if group(f.pkg) != "core" {
			continue
		}
		ast.Inspect(f.syntax, func(node ast.Node) bool {
			switch node.(type) {
			case *ast.GoStmt, *ast.ChanType, *ast.SelectStmt:
				found = append(found, violation{"core starts nothing", t.line(node), f.pkg + " uses a goroutine or a channel", startBecause})
			}
			return true
		})
	}
	return found
}

// checkSizes returns every hand-written file and function over the limits.
func checkSizes(t *tree) []violation {
	var found []violation
	for i := range t.files {
		f := &t.files[i]
		if f.generated {
			continue
		}
		if f.lines > maxFileLines {
			what := fmt.Sprintf("%d lines, at most %d", f.lines, maxFileLines)
			found = append(found, violation{"files stay short", f.name, what, fileBecause})
		}
		for _, decl := range f.syntax.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			lines := t.fset.Position(fn.End()).Line - t.fset.Position(fn.Pos()).Line + 1
			if lines > maxFunctionLines {
				what := fmt.Sprintf("%s has %d lines, at most %d", fn.Name.Name, lines, maxFunctionLines)
				found = append(found, violation{"functions stay short", t.line(fn), what, functionBecause})
			}
		}
	}
	return found
}
