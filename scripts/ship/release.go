package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// targets are the platforms of a release.
var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

// makeRelease writes an archive and a bill of materials for each target, and SHA256SUMS of all of them.
// FERMATA_SHIP_TARGETS (linux-amd64 …) selects fewer targets, for the test that builds twice.
func makeRelease(ctx context.Context, from source, folder string) error {
	sums := map[string][32]byte{}
	write := func(name string, content []byte) error {
		sums[name] = sha256.Sum256(content)
		if err := os.WriteFile(filepath.Join(folder, name), content, 0o644); err != nil { //nolint:gosec // it is published
			return fmt.Errorf("write %s: %w", name, err)
		}
		return nil
	}
	only := strings.Fields(os.Getenv("FERMATA_SHIP_TARGETS"))
	for _, t := range targets {
		if len(only) > 0 && !slices.Contains(only, t.String()) {
			continue
		}
		path := filepath.Join(folder, t.String(), t.binary())
		if err := build(ctx, from, t, path); err != nil {
			return err
		}
		archive, err := archiveOf(from, t, path)
		if err != nil {
			return err
		}
		stem := "fermata-" + tagOf(from.version) + "-" + t.String()
		suffix := ".tar.gz"
		if t.system == "windows" {
			suffix = ".zip"
		}
		if err := write(stem+suffix, archive); err != nil {
			return err
		}
		bill, err := billOf(from, path)
		if err != nil {
			return err
		}
		if err := write(stem+".cdx.json", bill); err != nil {
			return err
		}
		if err := os.RemoveAll(filepath.Dir(path)); err != nil { //nolint:gosec // the folder is an argument of the build
			return fmt.Errorf("clean up: %w", err)
		}
	}
	return writeSums(folder, sums)
}

// archiveOf packs the program with the introductory documents.
func archiveOf(from source, t target, path string) ([]byte, error) {
	var files []file
	for _, f := range []struct {
		from, name string
		mode       int64
	}{
		{path, t.binary(), 0o755}, {"README.md", "README.md", 0o644}, {"CHANGELOG.md", "CHANGELOG.md", 0o644},
		{"LICENSE", "LICENSE", 0o644},
	} {
		content, err := os.ReadFile(f.from)
		if err != nil {
			return nil, fmt.Errorf("read a file to pack: %w", err)
		}
		files = append(files, file{path: "fermata/" + f.name, mode: f.mode, content: content})
	}
	if t.system == "windows" {
		return zipped(files, from.at)
	}
	return tarGz(files, from.at)
}

func writeSums(folder string, sums map[string][32]byte) error {
	var names []string
	for name := range sums {
		names = append(names, name)
	}
	slices.Sort(names)
	var text bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&text, "%x  %s\n", sums[name], name)
	}
	if err := os.WriteFile(filepath.Join(folder, "SHA256SUMS"), text.Bytes(), 0o644); err != nil { //nolint:gosec // it is published
		return fmt.Errorf("write the checksums: %w", err)
	}
	return nil
}
