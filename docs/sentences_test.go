package docs

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// collectLiterals takes in the texts of a file. A chain of + is one text, cut where something else
// stands in it.
func (s *source) collectLiterals(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch e := n.(type) {
		case *ast.BinaryExpr:
			if text, ok := joined(e); ok {
				s.literals = append(s.literals, text)
				return false
			}
		case *ast.BasicLit:
			if text, ok := joined(e); ok {
				s.literals = append(s.literals, text)
			}
		}
		return true
	})
}

// joined returns the text of a literal, or of literals with + between them.
func joined(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, ok := joined(e.X)
		if !ok || e.Op != token.ADD {
			return "", false
		}
		right, ok := joined(e.Y)
		return left + right, ok
	}
	return "", false
}

// TestSentences looks for the sentences that docs/operations.md explains, in the code; … stands for what varies.
func TestSentences(t *testing.T) {
	d := one(t, "docs/operations.md")
	_, section, ok := strings.Cut(d.prose, "## When something is wrong\n")
	if !ok {
		t.Fatal("docs/operations.md does not say what to do when something is wrong")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	literals := code(t).literals
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	found := row.FindAllStringSubmatch(section, -1)
	for _, m := range found {
		for part := range strings.SplitSeq(m[1], "…") {
			if part = strings.TrimSpace(part); len(part) > 2 && !says(literals, part) {
				t.Errorf("docs/operations.md explains %q: no text in the code has %q", m[1], part)
			}
		}
	}
	if len(found) < 25 {
		t.Errorf("found %d sentences, want at least 25", len(found))
	}
}

func says(literals []string, part string) bool {
	for _, text := range literals {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}
