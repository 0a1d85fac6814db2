package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var at = time.Unix(1_800_000_000, 0).UTC()

// TestArchivesAreTheSame: the time in an archive is that of its commit, and the archive contains nothing else
// that depends on the machine.
func TestArchivesAreTheSame(t *testing.T) {
	files := []file{{path: "fermata/", mode: 0o755}, {path: "fermata/fermata", mode: 0o755, content: []byte("program")}}
	for name, pack := range map[string]func([]file, time.Time) ([]byte, error){"tar.gz": tarGz, "zip": zipped} {
		first, err := pack(files, at)
		if err != nil {
			t.Fatal(err)
		}
		second, err := pack(files, at)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two archives of the same files differ (%v)", name, err)
		}
		var found []byte
		if name == "zip" {
			found = fromZip(t, first)
		} else {
			found = fromTarGz(t, first)
		}
		if string(found) != "program" {
			t.Errorf("%s: it contains %q", name, found)
		}
	}
}

func fromTarGz(t *testing.T, archive []byte) (content []byte) {
	t.Helper()
	plain, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	r := tar.NewReader(plain)
	for {
		header, err := r.Next()
		if err != nil {
			return content
		}
		if !header.ModTime.Equal(at) || header.Uid != 0 {
			t.Errorf("%s is of %s and of %d", header.Name, header.ModTime, header.Uid)
		}
		if header.Typeflag == tar.TypeReg {
			content, _ = io.ReadAll(r)
		}
	}
}

func fromZip(t *testing.T, archive []byte) []byte {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	f, err := r.File[len(r.File)-1].Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestABillNamesWhatIsInTheProgram uses the modules of the test binary, and the web app's real lock file.
func TestABillNamesWhatIsInTheProgram(t *testing.T) {
	t.Chdir("../..")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := billOf(source{version: "v1.2.3+x", at: at}, self)
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		BomFormat  string
		Components []struct{ Name, Version, Purl string }
	}
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	versions := map[string]string{}
	for _, c := range bill.Components {
		versions[c.Name] = c.Version
		if c.Version == "" || !strings.HasPrefix(c.Purl, "pkg:") {
			t.Errorf("%+v is incomplete", c)
		}
	}
	if bill.BomFormat != "CycloneDX" || versions["std"] != strings.TrimPrefix(runtime.Version(), "go") ||
		versions["github.com/google/go-containerregistry"] == "" || versions["react"] == "" || versions["vite"] != "" {
		t.Errorf("the bill is %.2000s", text)
	}
}

func TestATagHasNoPlus(t *testing.T) {
	if got := tagOf("v1.2.3+4-g56"); got != "v1.2.3-4-g56" {
		t.Error(got)
	}
}

// TestTwoReleasesAreEqual compares two builds of make release-check.
func TestTwoReleasesAreEqual(t *testing.T) {
	one, two := os.Getenv("FERMATA_RELEASE"), os.Getenv("FERMATA_RELEASE_AGAIN")
	if one == "" || two == "" {
		t.Skip("FERMATA_RELEASE and FERMATA_RELEASE_AGAIN name them: make release-check")
	}
	entries, err := os.ReadDir(one)
	if err != nil || len(entries) < 3 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		first, err := os.ReadFile(filepath.Join(one, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(filepath.Join(two, e.Name()))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s differs when it is built again (%v)", e.Name(), err)
		}
	}
}
