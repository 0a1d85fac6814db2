package handlers

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata"
)

// TestTheContractIsServed verifies that the contract is served in both formats, compressed if the client accepts
// it, and only once to a client that caches it.
func TestTheContractIsServed(t *testing.T) {
	c := newWorld(t).serve(t)
	var want any
	if err := yaml.Unmarshal(fermata.OpenAPI, &want); err != nil {
		t.Fatal(err)
	}
	for path, form := range map[string]struct {
		mimeType string
		read     func([]byte, any) error
	}{"/openapi.yaml": {"application/yaml", yaml.Unmarshal}, "/openapi.json": {"application/json", json.Unmarshal}} {
		got := c.do("GET", path, "", "Accept-Encoding", "identity")
		var doc any
		if err := form.read([]byte(got.text), &doc); err != nil || got.header.Get("Content-Type") != form.mimeType {
			t.Fatalf("%s: %v, %v", path, err, got.header)
		}
		if a, b := normal(t, doc), normal(t, want); !reflect.DeepEqual(a, b) {
			t.Errorf("%s has something else than openapi.yaml", path)
		}
		if kept := c.do("GET", path, "", "If-None-Match", `"x", W/`+got.header.Get("ETag")); kept.status != http.StatusNotModified || kept.text != "" {
			t.Errorf("%s: %d %.100s with the current ETag", path, kept.status, kept.text)
		}
		if again := c.do("GET", path, "", "If-None-Match", `"x"`); again.status != http.StatusOK {
			t.Errorf("%s: %d with another ETag", path, again.status)
		}
		for header, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip; q=0": false, "br": false} {
			if is := c.do("HEAD", path, "", "Accept-Encoding", header).header.Get("Content-Encoding") == "gzip"; is != packed {
				t.Errorf("%s with Accept-Encoding %s: packed %v", path, header, is)
			}
		}
	}
}

// TestThePackedContractIsTheContract unpacks what is served.
func TestThePackedContractIsTheContract(t *testing.T) {
	unpacked, err := gzip.NewReader(bytes.NewReader(contractYAML().packed))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(unpacked); err != nil || !bytes.Equal(text, fermata.OpenAPI) {
		t.Errorf("what is packed is something else: %v", err)
	}
}

// normal makes what YAML and JSON read comparable.
func normal(t *testing.T, v any) (out any) {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
