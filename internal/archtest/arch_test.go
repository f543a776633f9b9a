package archtest

import (
	"slices"
	"testing"
)

// report fails the test once for every violation.
func report(t *testing.T, found []violation) {
	t.Helper()
	for _, v := range found {
		t.Error(v)
	}
}

func TestImports(t *testing.T) { report(t, checkImports(module(t), policy)) }

func TestEveryPackageHasAPlace(t *testing.T) { report(t, checkGroups(module(t))) }

func TestCoreStartsNothing(t *testing.T) { report(t, checkGoroutines(module(t))) }

func TestSizes(t *testing.T) { report(t, checkSizes(module(t))) }

func TestDocumented(t *testing.T) { report(t, checkDocuments(module(t))) }

func TestRulesSayWhy(t *testing.T) {
	var names []string
	for _, r := range policy {
		if len(r.because) < 40 {
			t.Errorf("rule %q: because %q, want a reason in a sentence", r.name, r.because)
		}
		if slices.Contains(names, r.name) {
			t.Errorf("rule %q stands twice", r.name)
		}
		names = append(names, r.name)
	}
}

func TestGroupsAreDisjoint(t *testing.T) {
	seen := map[string]string{}
	for name, members := range groups {
		for _, member := range members {
			if other := seen[member]; other != "" {
				t.Errorf("package %s is in the groups %s and %s", member, other, name)
			}
			seen[member] = name
		}
	}
}
