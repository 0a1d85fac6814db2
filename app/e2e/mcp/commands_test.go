package mcp

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestTheListOfAnAutomation: its runs are offered what it names, and no more, whatever the AI
// asks for; a run keeps what it began with, and a name that nothing has is refused.
func TestTheListOfAnAutomation(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		k := newKitchen(t)
		v := &vault{Server: harness.NewServer(t, db)}
		made := v.Call("POST", "/v1/connectors", map[string]any{
			"name": "Kitchen", "kind": "mcp", "prefix": "KITCHEN", "config": map[string]any{"url": k.URL},
		}).Want(201)
		v.at = "/v1/connectors/" + made.Str("id")
		v.offer("BAKE", "non_idempotent")
		v.Scripted(`[
			{"when": {"contains": "bake", "roundtrip": 1}, "answer": {"text": "I bake.", "calls": [{"name": "KITCHEN_BAKE", "arguments": {}}]}},
			{"answer": {"text": "Done.", "calls": [{"name": "COMPLETE", "arguments": {"reason": "done"}}]}}]`)
		all := v.MadeAutomation("Please bake.", nil)
		if got := all.List("commands"); len(got) != 1 || got[0] != "*" {
			t.Errorf("at first it has %v", got)
		}
		at := "/v1/automations/" + all.Str("id")
		for _, name := range []string{"NOWHERE.BAKE", "KITCHEN.FRY", "CREATE_ZONE", "kitchen.*"} {
			if got := v.Call("PATCH", at, map[string]any{"commands": []string{"KITCHEN.BAKE", name}}).Problem(422, "invalid"); got.Str("errors.0.pointer") != "/commands/1" ||
				got.Str("errors.0.code") != "unknown_command" {
				t.Errorf("%s: %s", name, got.Body)
			}
		}
		run := func(calls int) {
			t.Helper()
			session := v.Call("POST", at+"/execute", nil).Want(202).Str("session.id")
			if calls > 0 {
				v.Until(session, "waiting")
				v.Call("POST", "/v1/sessions/"+session+"/stop", nil).Want(200)
			}
			v.Until(session, "ended", "waiting")
			if got := k.count("tools/call"); got != calls {
				t.Errorf("%d calls were made, want %d: %v", got, calls, v.Record(session))
			}
		}
		v.Call("PATCH", at, map[string]any{"commands": []string{"AGENT.*"}}).Want(200)
		run(0)
		v.Call("PATCH", at, map[string]any{"commands": []string{}}).Want(200)
		run(0)
		v.Call("PATCH", at, map[string]any{"commands": []string{"KITCHEN.*"}}).Want(200)
		run(1)
		if file, _ := v.Types("", "automations", "export"); !strings.Contains(file, "KITCHEN.*") {
			t.Errorf("the file has no list: %s", file)
		}
		v.Sound()
	})
}
