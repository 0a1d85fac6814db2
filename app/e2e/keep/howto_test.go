package keep

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestTheHowToIsFollowed: every command of docs/keeping.md, in its order, with the program
// that is built from here: on a server that runs, and on its data once it is stopped.
func TestTheHowToIsFollowed(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "fermata")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "github.com/fermata-dev/fermata/cmd/fermata")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released; the build cache has most of it
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	db := app.Database{DataDir: filepath.Join(dir, "data")}
	s := harness.NewServer(t, db)
	s.Scripted(`[{"answer": {"text": "So it is."}}]`)
	s.Say(s.Chat(), "hello")
	text, err := os.ReadFile("../../../docs/keeping.md")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimSpace(line)
			if strings.Contains(line, "restore") { // as the document says
				s.Stop()
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-ec", strings.NewReplacer("/backups", dir+"/backups", "/elsewhere", dir+"/elsewhere").Replace(line))
			cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "FERMATA_DATA_DIR="+db.DataDir, "FERMATA_SECRET_KEY="+oldKey)
			out, err := cmd.CombinedOutput()
			if err != nil || len(bytes.TrimSpace(out)) == 0 {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
			followed++
		}
	}
	if followed != 6 {
		t.Errorf("%d commands were followed", followed)
	}
	for _, at := range []app.Database{db, {DataDir: filepath.Join(dir, "elsewhere")}} {
		again := harness.NewServer(t, at)
		if n := len(again.Call("GET", "/v1/sessions", nil).Want(200).List("data")); n != 1 {
			t.Errorf("%s has %d sessions", at.DataDir, n)
		}
		soundEverywhere(again)
		again.Stop()
	}
}
