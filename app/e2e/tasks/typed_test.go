package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestTasksByHand: what a person types sees a task, cancels it, and says how it ended.
func TestTasksByHand(t *testing.T) {
	studio := newStudio(t)
	s := newServer(t, harness.Databases["sqlite"](t))
	s.connect(studio, "non_idempotent")
	s.Scripted(renders("Alps"))
	chat := s.Chat()
	s.Say(chat, "Render the Alps.")
	id := studio.order(1).TaskID
	studio.report(s.URL, id, `{"status":"running","progress":{"percent":40,"text":"frame 40"}}`)
	out, _ := s.Types("", "tasks")
	harness.Wants(t, out, id, "running", "40 % frame 40", "FILM.RENDER", chat)
	if out, _ := s.Types("", "tasks", "--status=succeeded"); strings.Contains(out, id) {
		t.Errorf("a task that runs is listed among those that succeeded:\n%s", out)
	}
	out, _ = s.Types("", "tasks", "show", id, "-o", "json")
	harness.Wants(t, out, `"percent": 40`)
	out, _ = s.Types("", "tasks", "cancel", id)
	harness.Wants(t, out, id, "cancelled")
	out, _, err := s.Typed("", "tasks", "watch", id)
	if err == nil || !strings.Contains(err.Error(), "cancelled") {
		t.Errorf("watching a cancelled task ends with %v\n%s", err, out)
	}
}

// TestAgentsByHand: made from a file, changed, tried and deleted; the one that the server
// brings along is there from the beginning.
func TestAgentsByHand(t *testing.T) {
	s := newServer(t, harness.Databases["sqlite"](t))
	s.Scripted(`[{"answer": {"calls": [{"name": "COMPLETE", "arguments": {"reason": "done", "result": "all is well", "conclusion": "well"}}]}}]`)
	out, _ := s.Types("", "agents")
	harness.Wants(t, out, "AGENT.CONTEXT_MANAGER", "built in")
	file := filepath.Join(t.TempDir(), "scout.yaml")
	definition := "name: Scout\ndescription: Looks around.\nsystem_prompt: Look at the zones.\ncommands: [ZONES]\n"
	if err := os.WriteFile(file, []byte(definition), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ = s.Types("", "agents", "add", file)
	harness.Wants(t, out, "AGENT.SCOUT", "Looks around.", "may use: ZONES")
	out, _ = s.Types("max_turns: 3\n", "agents", "change", "scout", "-")
	harness.Wants(t, out, "answers 3 times at most")
	out, _ = s.Types("", "agents", "try", "Scout", "Look.", "-o", "json")
	harness.Wants(t, out, `"type": "AGENT"`)
	s.Types("", "agents", "delete", "AGENT.SCOUT")
	if out, _ := s.Types("", "agents"); strings.Contains(out, "SCOUT") {
		t.Errorf("a deleted agent is listed:\n%s", out)
	}
	if _, _, err := s.Typed("", "agents", "show", "unknown"); err == nil {
		t.Error("an agent that is not there is shown")
	}
}
