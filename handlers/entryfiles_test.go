package handlers

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestCSVIsAskedForByAccept: whoever prefers it gets it, others get JSON.
func TestCSVIsAskedForByAccept(t *testing.T) {
	c := newWorld().serve(t)
	for accept, want := range map[string]string{
		"text/csv": "text/csv", "text/csv;q=0.9, application/json;q=0.1": "text/csv", "application/json, text/csv;q=0.5": "application/json",
		"*/*": "application/json", "": "application/json", "text/csv;q=0": "application/json", "text/csv, application/json": "text/csv",
	} {
		got := c.want(200, "GET", "/v1/tools/tol_1/entries", "", "Accept", accept)
		if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, want) || got.header.Get("Vary") != "Accept" {
			t.Errorf("Accept %q gives %q, Vary %q", accept, kind, got.header.Get("Vary"))
		}
	}
	got := c.want(200, "GET", "/v1/tools/tol_1/entries?from=2026-01-01T00:00:00Z", "", "Accept", "text/csv")
	if got.text != "id,timestamp,value\n" || got.header.Get("Content-Disposition") != "attachment; filename=tol_1.csv" {
		t.Errorf("%q, %v", got.text, got.header)
	}
	c.want(422, "GET", "/v1/tools/tol_1/entries?limit=5", "", "Accept", "text/csv")
	c.want(404, "GET", "/v1/tools/tol_none/entries", "", "Accept", "text/csv")
	if got := c.want(200, "HEAD", "/v1/tools/tol_1/entries", "", "Accept", "text/csv"); got.text != "" {
		t.Errorf("HEAD has a body: %q", got.text)
	}
}

// TestAnExportThatBreaksOff: nobody takes half a file for the whole one.
func TestAnExportThatBreaksOff(t *testing.T) {
	c := newWorld().serve(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.url+"/v1/tools/tol_1/entries?from=1999-01-01T00:00:00Z", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer root")
	r.Header.Set("Accept", "text/csv")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return // before the first byte came
	}
	defer func() { _ = res.Body.Close() }()
	if text, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("the answer %q ended as if it were whole", text)
	}
}

// TestFilesThatAreNotTaken: wrong types and what is too large.
func TestFilesThatAreNotTaken(t *testing.T) {
	c := newWorld().serve(t)
	path := "/v1/tools/tol_1/entries/import"
	c.want(415, "POST", path, "value\n3\n")
	c.want(415, "POST", path, "value\n3\n", "Content-Type", "text/csv; charset=latin1")
	c.want(422, "POST", path+"?dry_run=perhaps", "value\n", "Content-Type", "text/csv")
	large := "value\n" + strings.Repeat("3\n", maxFile/2)
	c.want(413, "POST", path, large, "Content-Type", "text/csv")
	c.want(413, "POST", path, large, "Content-Type", "text/csv", "Idempotency-Key", "k1")
	// More than other bodies may have, and once.
	for range 2 {
		got := c.want(201, "POST", path, "value\n"+strings.Repeat("3\n", maxBody), "Content-Type", "text/csv", "Idempotency-Key", "k2")
		if got.body["entries"] != float64(maxBody+1) {
			t.Errorf("%v", got.body)
		}
	}
}
