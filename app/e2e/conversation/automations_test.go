package conversation

import (
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

const everyMonday = `{"name": "CREATE_AUTOMATION", "arguments": {"name": "My week", "request": "Sum up my week.",
	"schedule": {"type": "cron", "expression": "0 8 * * 1"}}}`

// TestAnAutomationIsMadeByTalking: the AI proposes it, a person sees when it runs and says yes;
// then it is there as if a client had made it, once. Without the yes there is nothing.
func TestAnAutomationIsMadeByTalking(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		s := newServer(t, db)
		s.asked(everyMonday)
		// Nothing but a person's yes makes one, whatever the workspace lets pass.
		s.Call("PATCH", "/v1/settings", map[string]any{"language": "fr", "time_zone": "Europe/Paris", "automation_validation": "allow"}).Want(200)
		chat := s.Chat()
		s.Say(chat, "chaque lundi à 8 h, résume ma semaine")
		card := s.Card()
		action := card.At("actions.0").(map[string]any)
		if action["text"] != "Créer l’automatisation « My week » : chaque lundi à 08:00 (Europe/Paris)" {
			t.Errorf("the card says %v", action["text"])
		}
		after := action["after"].(map[string]any)
		if next, _ := after["next"].([]any); len(next) != 3 || after["request"] != "Sum up my week." || !strings.HasPrefix(next[0].(string), "lundi ") {
			t.Errorf("the card shows %v", after)
		}
		if list := s.Call("GET", "/v1/automations", nil).Want(200).List("data"); len(list) != 0 {
			t.Fatalf("there before anybody said yes: %v", list)
		}
		answer := map[string]any{"approved": true, "edits": map[string]any{action["id"].(string): map[string]any{
			"name": "Ma semaine", "request": "Résume ma semaine.", "schedule": map[string]any{"type": "cron", "expression": "30 7 * * 1"},
		}}}
		path := "/v1/approvals/" + card.Str("id")
		s.Call("POST", path, answer).Want(200)
		s.Call("POST", path, answer).Want(200) // the same answer again is the same yes
		s.Settle(chat)
		list := s.Call("GET", "/v1/automations", nil).Want(200)
		made := list.Str("data.0.id")
		if len(list.List("data")) != 1 || list.Str("data.0.name") != "Ma semaine" || list.Str("data.0.schedule.expression") != "30 7 * * 1" ||
			list.Str("data.0.schedule.time_zone") != "Europe/Paris" || list.Str("data.0.next_run_at") == "" {
			t.Fatalf("made: %s", list.Body)
		}
		if seed := s.Call("GET", "/v1/automations/"+made+"/seed", nil).Want(200); !strings.Contains(string(seed.Body), "Résume ma semaine.") {
			t.Errorf("the response is %s", seed.Body)
		}
		if record := string(s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Want(200).Body); !strings.Contains(record, made) ||
			!strings.Contains(record, "Automatisation « Ma semaine » créée : chaque lundi à 07:30 (Europe/Paris)") {
			t.Errorf("the record does not name it: %s", record)
		}
		if changes := s.Call("GET", "/v1/events?types=automation.changed", nil).Want(200).List("data"); len(changes) != 1 {
			t.Errorf("reported %d times", len(changes))
		}
		s.Call("POST", "/v1/automations/"+made+"/execute", nil).Want(202)

		refused := s.Chat()
		s.Say(refused, "une autre")
		s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": false}).Want(200)
		s.Settle(refused)
		if list := s.Call("GET", "/v1/automations", nil).Want(200).List("data"); len(list) != 1 {
			t.Errorf("made in spite of the no: %v", list)
		}
		s.Sound()
	})
}
