package admin_test

import (
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata"
	"github.com/fermata-dev/fermata/handlers/servertest"
)

// TestTheContractIsServed verifies that the contract is served in both formats, compressed if the client accepts
// it, and only once to a client that caches it.
func TestTheContractIsServed(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	var want any
	if err := yaml.Unmarshal(fermata.OpenAPI, &want); err != nil {
		t.Fatal(err)
	}
	for path, form := range map[string]struct {
		mimeType string
		read     func([]byte, any) error
	}{"/openapi.yaml": {"application/yaml", yaml.Unmarshal}, "/openapi.json": {"application/json", json.Unmarshal}} {
		got := c.Do("GET", path, "", "Accept-Encoding", "identity")
		var doc any
		if err := form.read([]byte(got.Text), &doc); err != nil || got.Header.Get("Content-Type") != form.mimeType {
			t.Fatalf("%s: %v, %v", path, err, got.Header)
		}
		if a, b := normal(t, doc), normal(t, want); !reflect.DeepEqual(a, b) {
			t.Errorf("%s has something else than openapi.yaml", path)
		}
		if kept := c.Do("GET", path, "", "If-None-Match", `"x", W/`+got.Header.Get("ETag")); kept.Status != http.StatusNotModified || kept.Text != "" {
			t.Errorf("%s: %d %.100s with the current ETag", path, kept.Status, kept.Text)
		}
		if again := c.Do("GET", path, "", "If-None-Match", `"x"`); again.Status != http.StatusOK {
			t.Errorf("%s: %d with another ETag", path, again.Status)
		}
		for header, packed := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip; q=0": false, "br": false} {
			if is := c.Do("HEAD", path, "", "Accept-Encoding", header).Header.Get("Content-Encoding") == "gzip"; is != packed {
				t.Errorf("%s with Accept-Encoding %s: packed %v", path, header, is)
			}
		}
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
