package commands

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// The flag by which the AI asks for an approval is offered where it counts, and nowhere else. A param
// of another server's that has its name is no flag.
func TestTheFlagIsOfferedWhereItCounts(t *testing.T) {
	w := newWorld(t)
	outside := []domain.CommandSpec{
		{Name: "SHOP.PAY", Kind: domain.KindAction, Source: domain.SourceHTTP, Params: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)},
		{Name: "SHOP.BARE", Kind: domain.KindAction, Source: domain.SourceHTTP},
		{Name: "SHOP.OWN", Kind: domain.KindAction, Source: domain.SourceHTTP,
			Params: json.RawMessage(`{"type":"object","properties":{"validation_request":{"type":"string"}}}`)},
	}
	for kind, counts := range map[domain.SessionType]bool{domain.Chat: true, domain.Agent: true, domain.Run: false} {
		actions := 0
		for _, spec := range w.c.SpecsFor(kind, outside) {
			var schema struct {
				Properties map[string]map[string]any `json:"properties"`
			}
			if err := json.Unmarshal(spec.Params, &schema); err != nil {
				t.Fatalf("%s in %s: %v: %s", spec.Name, kind, err, spec.Params)
			}
			flag := schema.Properties["validation_request"]
			switch {
			case spec.Name == "SHOP.OWN":
				if flag["type"] != "string" {
					t.Errorf("%s in %s: %s", spec.Name, kind, spec.Params)
				}
			case spec.Kind == domain.KindAction:
				actions++
				if (flag != nil) != counts || schema.Properties["repeat"] == nil {
					t.Errorf("%s in %s: %s", spec.Name, kind, spec.Params)
				}
			case flag != nil:
				t.Errorf("%s in %s: %s", spec.Name, kind, spec.Params)
			}
		}
		if actions < 10 {
			t.Errorf("%s is offered %d actions", kind, actions)
		}
	}
}

// TestTheAIsOwnRequest verifies that the AI's own request for an approval counts in a CHAT and in an AGENT, by the
// flag of a command and by the field of an answer in JSON. In an AUTOMATION neither counts.
func TestTheAIsOwnRequest(t *testing.T) {
	for kind, counts := range map[domain.SessionType]bool{domain.Chat: true, domain.Agent: true, domain.Run: false} {
		want := ""
		if counts {
			want = "ai"
		}
		w := newWorld(t)
		w.in(kind)
		flag := w.plan(w.command("CREATE_ZONE", `{"name":"a","validation_request":true}`)).Commands
		if levels(flag.Reasons) != want || flag.AIAsked != counts {
			t.Errorf("%s, the flag: %q, %v", kind, levels(flag.Reasons), flag.AIAsked)
		}
		again, err := w.c.Replan(t.Context(), w.data, w.env, flag.Actions, true)
		if err != nil || levels(again.Reasons) != want {
			t.Errorf("%s, behind its queries: %q, %v", kind, levels(again.Reasons), err)
		}
		plain := w.plan(w.command("CREATE_ZONE", `{"name":"b"}`)).Commands
		if levels(plain.Reasons) != "" || plain.AIAsked {
			t.Errorf("%s, without: %q", kind, levels(plain.Reasons))
		}
	}
}
