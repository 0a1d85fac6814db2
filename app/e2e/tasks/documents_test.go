package tasks

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// TestDocumentsGoWithAnOrder: published documents are sent with a task; the approval lists them, and nothing is
// sent while one of them is not published.
func TestDocumentsGoWithAnOrder(t *testing.T) {
	harness.OnBoth(t, func(t *testing.T, db app.Database) {
		studio := newStudio(t)
		s := newServer(t, db)
		id := s.connect(studio, "non_idempotent")
		command := map[string]any{
			"name": "RENDER", "description": "Render a film.", "require_validation": true, "documents": []string{"style"},
			"params_schema": map[string]any{"type": "object", "properties": map[string]any{"title": map[string]any{"type": "string"}}},
		}
		kept := s.Call("PATCH", "/v1/connectors/"+id, map[string]any{"commands": []any{command}}).Want(200)
		if kept.Str("commands.0.documents.0") != "style" {
			t.Fatalf("kept is %s", kept.Body)
		}
		draft := s.Call("POST", "/v1/documents", map[string]any{"key": "style", "title": "Style", "body": "No music."}).Want(201)
		s.Scripted(renders("Alps"))
		chat := s.Chat()
		s.Say(chat, "Render the Alps.")
		card := s.Card()
		if !strings.Contains(string(card.Body), "It sends these documents along: style.") {
			t.Errorf("the card does not say what leaves: %s", card.Body)
		}
		s.Call("POST", "/v1/approvals/"+card.Str("id"), map[string]any{"approved": true}).Want(200)
		s.Settle(chat)
		if studio.count() != 0 || !strings.Contains(string(s.Call("GET", "/v1/sessions/"+chat+"/messages", nil).Body), "the document style") {
			t.Fatalf("%d orders came without the document", studio.count())
		}

		s.Call("POST", "/v1/documents/"+draft.Str("id")+"/publish", map[string]any{}).Want(200)
		chat = s.Chat()
		s.Say(chat, "Render the Alps.")
		s.Call("POST", "/v1/approvals/"+s.Card().Str("id"), map[string]any{"approved": true}).Want(200)
		if got, _ := json.Marshal(studio.order(1).Documents); string(got) != `[{"key":"style","title":"Style","body":"No music."}]` {
			t.Errorf("along came %s", got)
		}
		s.Settle(chat)
		s.Sound()
	})
}
