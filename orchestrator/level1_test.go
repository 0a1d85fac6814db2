package orchestrator

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// Level 1 is the same bytes from call to call, with the workspace's own chunks in it, so
// that the provider's cache hits; a change of them shows in the next call.
func TestLevel1StaysTheSameBytes(t *testing.T) {
	w := newWorld(t)
	w.ws.Settings.PromptChunks = map[string]domain.ChunkChange{
		"role": {Text: new("You are Ada. {language}.")}, "style-chat": {Enabled: new(false)}, "planning": {Enabled: new(true)},
	}
	for _, words := range []string{"One.", "Two.", "Three."} {
		w.model.text(words)
	}
	for i, text := range []string{"a", "b", "c"} {
		if i == 2 {
			w.ws.Settings.PromptChunks = map[string]domain.ChunkChange{"role": {Text: new("You are Bob.")}}
		}
		w.say(text)
		w.rest()
	}
	asked := w.model.asked
	if asked[0].System != asked[1].System || asked[0].UserData != asked[1].UserData {
		t.Errorf("the levels are %.60q, %.60q, then %.60q, %.60q", asked[0].System, asked[0].UserData, asked[1].System, asked[1].UserData)
	}
	if !strings.Contains(asked[0].UserData, "\n    You are Ada. English.\n") || !strings.Contains(asked[2].UserData, "\n    You are Bob.\n") {
		t.Errorf("the workspace's rules are %.200q, then %.200q", asked[0].UserData, asked[2].UserData)
	}
	for i := range asked {
		if strings.Contains(asked[i].System, "You are the assistant") || !strings.HasPrefix(asked[i].System, "Answer in English") {
			t.Errorf("call %d: the system message begins %.60q", i, asked[i].System)
		}
	}
	if asked[0].Tail == "" || strings.Contains(asked[0].System, "Now: ") {
		t.Error("the time is not in the tail alone")
	}
}

// With relaunch=on_error_only the commands are offered again only after a failure; the
// control commands always are.
func TestRelaunchOnErrorOnly(t *testing.T) {
	w := newWorld(t)
	w.ws.Settings.Relaunch = "on_error_only"
	w.model.calls("ZONES", "{}")
	w.model.calls("UPDATE_ZONE", `{"zone_id": "zon_gone"}`)
	w.model.text("Never mind.")
	w.say("How many?")
	w.rest()
	offers := func(i int, name string) bool {
		for _, c := range w.model.asked[i].Commands {
			if c.Name == name {
				return true
			}
		}
		return false
	}
	for i, want := range []bool{true, false} {
		if offers(i, "CREATE_ZONE") != want || !offers(i, "ASK_USER") {
			t.Errorf("call %d: actions are offered: %v, control: %v", i, offers(i, "CREATE_ZONE"), offers(i, "ASK_USER"))
		}
	}
}

// With after_actions=rest the text beside actions is the answer, unless it says that it
// wants the results: the rules name the param of every action for that, and only then.
func TestAfterActionsRest(t *testing.T) {
	w := newWorld(t)
	w.model.calls("CREATE_ZONE", `{"name": "Shed"}`)
	w.model.text("There it is.")
	w.say("Make a zone.")
	w.rest()
	w.ws.Settings.AfterActions = domain.AfterActionsRest
	w.model.says("I make the garden.", "CREATE_ZONE", `{"name": "Garden"}`)
	w.say("Make another one.")
	w.rest()
	w.model.says("First the attic.", "CREATE_ZONE", `{"name": "Attic", "keep_control": true}`)
	w.model.text("And that was all.")
	w.say("And all the others.")
	w.rest()
	if len(w.model.asked) != 5 {
		t.Fatalf("the model was called %d times, want 2 and 1 and 2", len(w.model.asked))
	}
	for i, ask := range w.model.asked {
		if offers := strings.Contains(ask.System, "keep_control"); offers != (i >= 2) {
			t.Errorf("call %d: the rules name keep_control: %v", i, offers)
		}
	}
}

// A query that failed is a failure like an action's.
func TestRelaunchAfterAFailedQuery(t *testing.T) {
	w := newWorld(t)
	w.ws.Settings.Relaunch = "on_error_only"
	w.model.calls("APP_STATE", "{}", "SCHEMA", `{"for": "misnamed"}`)
	w.model.text("There is no such zone.")
	w.say("Show me the garden.")
	w.rest()
	if len(w.model.asked) != 2 || !slices.ContainsFunc(w.model.asked[1].Commands, func(c domain.CommandSpec) bool { return c.Name == "SCHEMA" }) {
		t.Errorf("after a query that failed, the call offers %d commands", len(w.model.asked[len(w.model.asked)-1].Commands))
	}
}
