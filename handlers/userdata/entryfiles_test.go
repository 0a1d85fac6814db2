package userdata_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/servertest"
	userdataapi "github.com/fermata-dev/fermata/handlers/userdata"
)

// TestCSVIsAskedForByAccept verifies that clients that prefer CSV get CSV, and others get JSON.
func TestCSVIsAskedForByAccept(t *testing.T) {
	c := servertest.NewWorld(t).Serve(t)
	for accept, want := range map[string]string{
		"text/csv": "text/csv", "text/csv;q=0.9, application/json;q=0.1": "text/csv", "application/json, text/csv;q=0.5": "application/json",
		"*/*": "application/json", "": "application/json", "text/csv;q=0": "application/json", "text/csv, application/json": "text/csv",
	} {
		got := c.Want(200, "GET", "/v1/tools/tol_1/entries", "", "Accept", accept)
		if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, want) || got.Header.Get("Vary") != "Accept" {
			t.Errorf("Accept %q gives %q, Vary %q", accept, kind, got.Header.Get("Vary"))
		}
	}
	got := c.Want(200, "GET", "/v1/tools/tol_1/entries?from=2026-01-01T00:00:00Z", "", "Accept", "text/csv")
	if got.Text != "id,timestamp,value\nent_1,2026-03-02T12:00:00.123456Z,8\n" || got.Header.Get("Content-Disposition") != "attachment; filename=tol_1.csv" {
		t.Errorf("%q, %v", got.Text, got.Header)
	}
	c.Want(422, "GET", "/v1/tools/tol_1/entries?limit=5", "", "Accept", "text/csv")
	c.Want(422, "GET", "/v1/tools/tol_1/entries?order_by=value", "", "Accept", "text/csv")
	c.Want(404, "GET", "/v1/tools/tol_none/entries", "", "Accept", "text/csv")
	if got := c.Want(200, "HEAD", "/v1/tools/tol_1/entries", "", "Accept", "text/csv"); got.Text != "" {
		t.Errorf("HEAD has a body: %q", got.Text)
	}
}

// brokenExport loses its database behind the first page.
type brokenExport struct{ userdataapi.EntryFiles }

func (b brokenExport) ExportEntries(ctx context.Context, ws string, q userdata.EntryQuery, out io.Writer) error {
	return errors.Join(b.EntryFiles.ExportEntries(ctx, ws, q, out), errors.New("the database is gone"))
}

// TestAnExportThatBreaksOff verifies that a truncated export cannot be mistaken for a complete one.
func TestAnExportThatBreaksOff(t *testing.T) {
	w := servertest.NewWorld(t)
	w.Config.UserData.EntryFiles = brokenExport{w.Config.UserData.EntryFiles}
	c := w.Serve(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.URL+"/v1/tools/tol_1/entries", http.NoBody)
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
	w := servertest.NewWorld(t)
	c := w.Serve(t)
	path := "/v1/tools/tol_1/entries/import"
	c.Want(415, "POST", path, "value\n3\n")
	c.Want(415, "POST", path, "value\n3\n", "Content-Type", "text/csv; charset=latin1")
	c.Want(422, "POST", path+"?dry_run=perhaps", "value\n", "Content-Type", "text/csv")
	large := "value\n" + strings.Repeat("3\n", edge.MaxFile/2)
	c.Want(413, "POST", path, large, "Content-Type", "text/csv")
	c.Want(413, "POST", path, large, "Content-Type", "text/csv", "Idempotency-Key", "k1")
	// More than other bodies may have, and once.
	notes, _ := c.Want(201, "POST", "/v1/tools", `{"zone_id":"zon_1","tool_type":"notes","name":"Notes"}`).Body["id"].(string)
	const lines = 100
	file := "title,text\n" + strings.Repeat("t,"+strings.Repeat("a", edge.MaxBody/lines)+"\n", lines)
	for range 2 {
		got := c.Want(201, "POST", "/v1/tools/"+notes+"/entries/import", file, "Content-Type", "text/csv", "Idempotency-Key", "k2")
		if got.Body["entries"] != float64(lines) {
			t.Errorf("%v", got.Body)
		}
	}
	stored := c.Want(200, "GET", "/v1/tools/"+notes+"/entries", "", "Accept", "text/csv").Text
	servertest.Equal(t, "what is stored", strings.Count(stored, "\n"), 1+lines)
}
