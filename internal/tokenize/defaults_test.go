package tokenize_test

import (
	"testing"

	"bayestream/internal/core/spec"
	"bayestream/internal/tokenize"

	"github.com/google/go-cmp/cmp"
)

// The defaults of these tests are those of the product.
func TestDefaultOptions(t *testing.T) {
	want, err := spec.Default().TokenizerOptions()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, tokenize.DefaultOptions()); diff != "" {
		t.Errorf("default options (-spec +tests):\n%s", diff)
	}
}
