package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// What a person types: a file is uploaded, talked about, listed, fetched and deleted.
func TestFilesInTheTerminal(t *testing.T) {
	s, v := harness.NewServer(t, harness.Databases["sqlite"](t)), newVendor(t)
	s.Configured("vendor", v.url, true)
	path := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(path, []byte("# Plan\nbuy milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _ := s.Types("", "chat", "-m", "What is planned?", "--file", path); !strings.Contains(out, "Seen.") {
		t.Errorf("the chat says %q", out)
	}
	if !strings.Contains(v.last(t), "buy milk") || !strings.Contains(v.last(t), "plan.md") {
		t.Errorf("the prompt is %s", v.last(t))
	}
	out, _ := s.Types("piped", "files", "upload", "-")
	if !strings.Contains(out, "standard input") {
		t.Errorf("the upload says %q", out)
	}
	out, _ = s.Types("", "files")
	if !strings.Contains(out, "plan.md") || !strings.Contains(out, "text/plain") {
		t.Errorf("the list is %q", out)
	}
	id := s.Call("GET", "/v1/files", nil).Want(200).Str("data.0.id")
	if out, _ = s.Types("", "files", "get", id, "--to", "-"); out != "piped" {
		t.Errorf("the content is %q", out)
	}
	to := filepath.Join(t.TempDir(), "copy")
	s.Types("", "files", "get", id, "--to", to)
	if _, _, err := s.Typed("", "files", "get", id, "--to", to); err == nil {
		t.Error("a file that was there was written over")
	}
	if kept, err := os.ReadFile(to); err != nil || string(kept) != "piped" {
		t.Errorf("the copy is %q, %v", kept, err)
	}
	s.Types("", "files", "delete", id)
	s.Call("GET", "/v1/files/"+id, nil).Problem(404, "not_found")
	if _, _, err := s.Typed("", "chat", "-m", "x", "--file", "/dev/null/none"); err == nil {
		t.Error("a file that there is not was sent")
	}
}
