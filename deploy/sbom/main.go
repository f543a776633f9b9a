// Command sbom writes the software bill of materials of built binaries, in CycloneDX's JSON, to
// standard output: the modules that the linker put into them, as the binaries themselves say, and
// the standard library.
//
//	go run ./deploy/sbom bin/ingest bin/classify bin/bayestream > bayestream.cdx.json
package main

import (
	"debug/buildinfo"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

// run writes the bill of the binaries.
func run(binaries []string, out io.Writer) error {
	if len(binaries) == 0 {
		return fmt.Errorf("name at least one binary that go build has made")
	}
	var infos []*buildinfo.BuildInfo
	for _, name := range binaries {
		info, err := buildinfo.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read how %s was built: %w", name, err)
		}
		infos = append(infos, info)
	}
	encoder := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON)
	return encoder.SetPretty(true).SetEscapeHTML(false).EncodeVersion(bill(infos), cyclonedx.SpecVersion1_6)
}

// bill returns the bill of materials of binaries of one module. It has no time and no serial
// number: equal binaries have equal bills.
func bill(infos []*buildinfo.BuildInfo) *cyclonedx.BOM {
	main := component(cyclonedx.ComponentTypeApplication, infos[0].Main.Path, infos[0].Main.Version)
	found := map[string]cyclonedx.Component{}
	for _, info := range infos {
		std := component(cyclonedx.ComponentTypeLibrary, "std", info.GoVersion)
		found[std.BOMRef] = std
		for _, module := range info.Deps {
			if module.Replace != nil {
				module = module.Replace
			}
			c := component(cyclonedx.ComponentTypeLibrary, module.Path, module.Version)
			c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: module.Sum}}
			found[c.BOMRef] = c
		}
	}
	var components []cyclonedx.Component
	var refs []string
	for ref := range found {
		refs = append(refs, ref)
	}
	slices.Sort(refs)
	for _, ref := range refs {
		components = append(components, found[ref])
	}
	b := cyclonedx.NewBOM()
	b.Metadata = &cyclonedx.Metadata{Component: &main}
	b.Components = &components
	b.Dependencies = &[]cyclonedx.Dependency{{Ref: main.BOMRef, Dependencies: &refs}}
	return b
}

// component returns a Go module by its package URL.
func component(kind cyclonedx.ComponentType, path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: kind, Name: path, Version: version, PackageURL: url}
}
