package api_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

func read[T any](t *testing.T, body string) *T {
	t.Helper()
	in := new(T)
	if err := json.Unmarshal([]byte(body), in); err != nil {
		t.Fatal(err)
	}
	return in
}

// pointerOf is where an invalid error points; "" for none.
func pointerOf(err error) string {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return e.Fields[0].Pointer + " " + e.Fields[0].Code
	}
	return ""
}

func TestWhatAKindOfApprovalTakes(t *testing.T) {
	for _, c := range []struct {
		kind domain.ApprovalKind
		body string
		want string
	}{
		{domain.ApprovalActions, `{"approved":true,"approved_ids":["x"],"edits":{"x":{}},"comment":"yes"}`, ""},
		{domain.ApprovalActions, `{"comment":"yes"}`, "/approved required"},
		{domain.ApprovalActions, `{"approved":true,"limit":3}`, "/limit not_allowed"},
		{domain.ApprovalQuestion, `{"value":null,"cancelled":false}`, ""},
		{domain.ApprovalQuestion, `{"cancelled":true}`, ""},
		{domain.ApprovalQuestion, `{"value":1,"cancelled":true}`, "/value not_allowed"},
		{domain.ApprovalQuestion, `{}`, "/value required"},
		{domain.ApprovalBudget, `{"approved":true,"limit":3}`, ""},
		{domain.ApprovalCompletion, `{"approved":true}`, "/approved not_allowed"},
		{domain.ApprovalOutcome, `{"outcome":"did_not"}`, ""},
	} {
		_, err := read[api.ApprovalAnswer](t, c.body).Domain(c.kind)
		if got := pointerOf(err); got != c.want {
			t.Errorf("%s %s: %q, not %q", c.kind, c.body, got, c.want)
		}
	}
	d, err := read[api.ApprovalAnswer](t, `{"outcome":"did_not"}`).Domain(domain.ApprovalOutcome)
	if err != nil || d.Approved || d.Outcome != "did_not" {
		t.Errorf("%+v %v", d, err)
	}
}

func TestMessagesAreTextOrSegments(t *testing.T) {
	for body, want := range map[string]string{
		`{"text":"x"}`:                   "",
		`{}`:                             "/text required",
		`{"text":" "}`:                   "/text required",
		`{"text":"x","segments":[]}`:     "/segments not_allowed",
		`{"segments":[]}`:                "/segments required",
		`{"segments":[{"type":"text"}]}`: "/segments/0/text required",
		`{"segments":[{"type":"text","text":" "}]}`:                                    "/segments required",
		`{"segments":[{"type":"text","text":"x"},{"type":"enrichment"}]}`:              "/segments/1/enrichment required",
		`{"segments":[{"type":"enrichment","enrichment":{"type":"USE","config":{}}}]}`: "",
	} {
		rich, whole, err := read[api.MessageContent](t, body).Domain()
		if got := pointerOf(err); got != want || err == nil && whole != (rich.LinearText != "") {
			t.Errorf("%s: %q %t, not %q", body, got, whole, want)
		}
	}
	if m := read[api.NewSession](t, `{"message":"Hi"}`).Message; *m.Text != "Hi" {
		t.Errorf("%+v", m)
	}
}

// TestPatches: what is left out stays, null empties, the rest is merged.
func TestPatches(t *testing.T) {
	tokens, cost := int64(5), 2.0
	a := &automation.Automation{
		Name: "a", ProviderID: "prv_1", Enabled: true, Tags: []string{"x"},
		Schedule: &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC", StartsAt: "2026-01-01"},
		Budgets:  domain.Budgets{MaxTokensPerRound: &tokens, MaxCostPerDay: &cost},
	}
	patch := `{"provider_id":null,"tags":[],"schedule":{"expression":"0 9 * * *","starts_at":null},"budgets":{"max_cost_per_day":null}}`
	if err := read[api.AutomationPatch](t, patch).Domain(0).Apply(a); err != nil {
		t.Fatal(err)
	}
	want := &automation.Automation{
		Name: "a", Enabled: true, Tags: []string{}, Budgets: domain.Budgets{MaxTokensPerRound: &tokens},
		Schedule: &automation.Schedule{Type: "cron", Expression: "0 9 * * *", TimeZone: "UTC"},
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("%+v\nnot %+v", a, want)
	}
	err := read[api.AutomationPatch](t, `{"schedule":{"type":"cron"}}`).Domain(0).Apply(&automation.Automation{})
	if got := pointerOf(err); got != "/schedule/expression required" {
		t.Error(got)
	}
	session := &domain.Session{Name: "s", ProviderID: "prv_1", Budgets: domain.Budgets{MaxTokensPerRound: &tokens, MaxCostPerSession: &cost}}
	read[api.SessionPatch](t, `{"provider_id":null,"budgets":{"max_cost_per_round":3,"max_cost_per_session":null}}`).Domain().Apply(session)
	if b := session.Budgets; *b.MaxTokensPerRound != 5 || *b.MaxCostPerRound != 3 || b.MaxCostPerSession != nil ||
		session.Name != "s" || session.ProviderID != "" {
		t.Errorf("%+v", session)
	}
	read[api.SessionPatch](t, `{"name":"n","budgets":null}`).Domain().Apply(session)
	if session.Budgets != (domain.Budgets{}) || session.Name != "n" {
		t.Errorf("%+v", session)
	}
}

func TestNullBringsADefaultBack(t *testing.T) {
	s, def := domain.DefaultSettings(), domain.DefaultSettings()
	apply := func(patch string) {
		if err := read[api.SettingsPatch](t, patch).Domain(0).Apply(&s); err != nil {
			t.Fatal(err)
		}
	}
	change := `{"language":"fr","max_queue_length":3,"network_retry":{"delays":["3s"]},"limits":{"chat":{"max_cost_per_day":9}},
		"prices":{"m":{"input":1,"output":2}},"prompt_chunks":{"x":{"enabled":false}}}`
	apply(change)
	if s.Language != "fr" || s.MaxQueueLength != 3 || *s.Limits.Chat.MaxCostPerDay != 9 || s.Prices["m"].Output != 2 || len(s.PromptChunks) != 1 {
		t.Errorf("%+v", s)
	}
	back := `{"language":null,"max_queue_length":null,"network_retry":null,"limits":null,"prices":{"m":null},"prompt_chunks":{"x":null}}`
	apply(back)
	s.Prices, s.PromptChunks = def.Prices, def.PromptChunks // empty, or none
	if !reflect.DeepEqual(s, def) {
		t.Errorf("%+v\nnot %+v", s, def)
	}
}
