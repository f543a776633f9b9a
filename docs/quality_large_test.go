//go:build largesets

package docs

import "testing"

// TestQualityTableOfLargeSets does the same with the others.
func TestQualityTableOfLargeSets(t *testing.T) {
	checkQuality(t, "bbc2", "bbc", "agnews", "reuters", "spambase")
}
