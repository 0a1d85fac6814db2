package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// billOf lists the components of a program: its Go modules, from its build information, and the packages of
// the web app.
func billOf(from source, path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the program's build information: %w", err)
	}
	std := strings.TrimPrefix(info.GoVersion, "go")
	components := []cdx.Component{component(cdx.ComponentTypeLibrary, "std", std, "pkg:golang/std@"+std)}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		components = append(components, component(cdx.ComponentTypeLibrary, m.Path, m.Version, "pkg:golang/"+m.Path+"@"+m.Version))
	}
	page, err := pagePackages("web/app/package-lock.json")
	if err != nil {
		return nil, err
	}
	components = append(components, page...)
	bill := cdx.NewBOM()
	main := component(cdx.ComponentTypeApplication, "fermata", from.version, "pkg:golang/"+info.Main.Path+"@"+from.version)
	bill.Metadata = &cdx.Metadata{Timestamp: from.at.Format(time.RFC3339), Component: &main}
	bill.Components = &components
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bill); err != nil {
		return nil, fmt.Errorf("write the bill of materials: %w", err)
	}
	return out.Bytes(), nil
}

func component(kind cdx.ComponentType, name, version, purl string) cdx.Component {
	return cdx.Component{Type: kind, BOMRef: purl, Name: name, Version: version, PackageURL: purl}
}

// pagePackages are the web app's packages, without build tools.
func pagePackages(lock string) ([]cdx.Component, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, fmt.Errorf("read the web app's packages: %w", err)
	}
	var of struct {
		Packages map[string]struct {
			Version string `json:"version"`
			Dev     bool   `json:"dev"`
		} `json:"packages"`
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, fmt.Errorf("read the web app's packages: %w", err)
	}
	var all []cdx.Component
	for path, p := range of.Packages {
		_, name, inside := cutLast(path, "node_modules/")
		if inside && !p.Dev {
			purl := "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version
			all = append(all, component(cdx.ComponentTypeLibrary, name, p.Version, purl))
		}
	}
	slices.SortFunc(all, func(a, b cdx.Component) int { return strings.Compare(a.BOMRef, b.BOMRef) })
	return slices.CompactFunc(all, func(a, b cdx.Component) bool { return a.BOMRef == b.BOMRef }), nil
}

// cutLast cuts a string at the last occurrence of sep.
func cutLast(s, sep string) (before, after string, found bool) {
	at := strings.LastIndex(s, sep)
	if at < 0 {
		return s, "", false
	}
	return s[:at], s[at+len(sep):], true
}
