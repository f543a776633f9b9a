package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
)

// TestBill makes the bill of this test and reads it as others do.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	if err := run([]string{self}, &first); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{self, self}, &second); err != nil {
		t.Fatal(err)
	}
	if first.String() != second.String() {
		t.Error("two bills of one binary differ")
	}
	var b cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(&first, cyclonedx.BOMFileFormatJSON).Decode(&b); err != nil {
		t.Fatal(err)
	}
	if b.SpecVersion != cyclonedx.SpecVersion1_6 || b.Metadata.Component.Name != "bayestream" {
		t.Errorf("version %v of %q", b.SpecVersion, b.Metadata.Component.Name)
	}
	names := map[string]string{}
	for _, c := range *b.Components {
		names[c.Name] = c.Version
		if c.PackageURL != "pkg:golang/"+c.Name+"@"+c.Version {
			t.Errorf("%s has the package URL %q", c.Name, c.PackageURL)
		}
		if c.Name != "std" && !strings.HasPrefix((*c.Properties)[0].Value, "h1:") {
			t.Errorf("%s has no checksum", c.Name)
		}
	}
	for _, name := range []string{"std", "github.com/CycloneDX/cyclonedx-go"} {
		if names[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	if dependencies := *b.Dependencies; len(dependencies) != 1 || len(*dependencies[0].Dependencies) != len(names) {
		t.Errorf("the module depends on %v, want all %d", dependencies, len(names))
	}
}

func TestBillOfNoBinary(t *testing.T) {
	for _, names := range [][]string{nil, {"main.go"}, {"missing"}} {
		if err := run(names, &bytes.Buffer{}); err == nil {
			t.Errorf("run takes %q", names)
		}
	}
}
