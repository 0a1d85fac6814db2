package linkpage

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/visible"
)

var hostile = "\"'><script>alert(1)</script>\u202e</textarea>{{.}}"

// The policy lets the page's own style and script run, letter by letter, and whatever an AI or
// another server wrote stands there as text.
func TestThePageRunsNothingElse(t *testing.T) {
	a := &domain.Approval{
		ID: "apr_1", Kind: domain.ApprovalActions, Status: domain.ApprovalStatusOpen, Text: hostile,
		Reasons: []domain.ApprovalReason{{Text: hostile}},
		Actions: []domain.ApprovalAction{{ID: "exe_1", Text: hostile, Warnings: []string{hostile},
			Params: json.RawMessage(`{"a":1}`), After: jsonOf(t, map[string]any{hostile: hostile})}},
	}
	link := &people.ApprovalLink{Recipient: hostile, ExpiresAt: time.Unix(1e9, 0)}
	for _, language := range []string{"en", "fr"} {
		s := &domain.Settings{Language: language, TimeZone: "Europe/Paris"}
		page := Of(a, link, s)
		page.Notice = visible.Text(hostile)
		page.Ask(FormFor(a, s), "/a/x", "now", "nonce", "123456")
		body, err := Render(page)
		if err != nil {
			t.Fatal(err)
		}
		text := string(body)
		for _, part := range []string{"style", "script"} {
			all := regexp.MustCompile(`(?s)<`+part+`>(.*?)</`+part+`>`).FindAllStringSubmatch(text, -1)
			if len(all) != 1 || !strings.Contains(Policy, part+"-src '"+sumOf(all[0][1])+"'") {
				t.Errorf("%d of %s, and not what the policy lets run", len(all), part)
			}
		}
		if strings.Contains(text, "<script>alert") || strings.Contains(text, "\u202e") || strings.Contains(text, "</textarea>{{") {
			t.Errorf("words became more than words: %s", text)
		}
		if !strings.Contains(text, `data-key="ecnon"`) || strings.Contains(text, `"nonce">`) || strings.Contains(text, `value="nonce"`) {
			t.Error("the nonce stands in the document")
		}
	}
}

// A value is called as one would say it, not by its place in a document.
func TestSpoken(t *testing.T) {
	for path, want := range map[string]string{
		"data.value": "Value", "entries.2.data.due_date": "2 › due date", "name": "Name", "élan": "Élan", "data": "data", "": "",
	} {
		if got := spoken(strings.ReplaceAll(path, ".", between)); got != want {
			t.Errorf("%q is called %q, not %q", path, got, want)
		}
	}
}

// What is shown is what differs; where nothing is known of what there is, what is sent.
func TestChanges(t *testing.T) {
	got := actionOf(&domain.ApprovalAction{Before: json.RawMessage(`{"name":"a","n":1,"old":true}`), After: json.RawMessage(`{"name":"b","n":1,"new":[1,"x"]}`)})
	want := []Change{
		{Name: "Name", Before: "a", After: "b", Had: true, Has: true},
		{Name: "New › 1", After: "1", Has: true}, {Name: "New › 2", After: "x", Has: true},
		{Name: "Old", Before: "true", Had: true},
	}
	if len(got.Changes) != len(want) {
		t.Fatalf("%+v", got.Changes)
	}
	for i, c := range got.Changes {
		if c != want[i] {
			t.Errorf("%+v, not %+v", c, want[i])
		}
	}
	if kind := actionOf(&domain.ApprovalAction{Before: json.RawMessage(`{"n":"7"}`), After: json.RawMessage(`{"n":7}`)}); len(kind.Changes) != 1 ||
		kind.Changes[0].Before != `"7"` || kind.Changes[0].After != "7" {
		t.Errorf("%+v", kind.Changes)
	}
	// A name with a dot hides no other one.
	if both := actionOf(&domain.ApprovalAction{After: json.RawMessage(`{"to":{"name":"ada"},"to.name":"eve"}`)}); len(both.Changes) != 2 {
		t.Errorf("%+v", both.Changes)
	}
	sent := actionOf(&domain.ApprovalAction{Params: json.RawMessage(`{"to":"ada"}`), Before: json.RawMessage("null")})
	if len(sent.Changes) != 1 || sent.Changes[0].After != "ada" {
		t.Errorf("%+v", sent)
	}
}

// Every kind of approval says what it is and how it was settled, in both languages.
func TestEveryKindHasWords(t *testing.T) {
	for _, language := range []string{"en", "fr"} {
		s := &domain.Settings{Language: language, TimeZone: "UTC"}
		for _, kind := range []domain.ApprovalKind{
			domain.ApprovalActions, domain.ApprovalQuestion, domain.ApprovalBudget, domain.ApprovalCompletion,
			domain.ApprovalOutcome, domain.ApprovalPoisoned, domain.ApprovalReconnect, domain.ApprovalClientCalls,
		} {
			a := &domain.Approval{Kind: kind, Status: domain.ApprovalStatusOpen, Module: &domain.Module{Type: "Text", Data: json.RawMessage(`{"question":"?"}`)}}
			if page := Of(a, &people.ApprovalLink{}, s); page.Title == "" || FormFor(a, s) == nil {
				t.Errorf("%s, %s: %+v", language, kind, page)
			}
			a.Status, a.SettledBy, a.SettledAt = domain.ApprovalStatusExpired, "usr_1", new(time.Unix(1e9, 0))
			if page := Of(a, &people.ApprovalLink{}, s); !strings.Contains(page.Settled, "usr_1") || !strings.Contains(page.Settled, "2001") {
				t.Errorf("%s, %s: %q", language, kind, page.Settled)
			}
		}
	}
}

func jsonOf(t *testing.T, v any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
