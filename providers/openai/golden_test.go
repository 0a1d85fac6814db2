package openai

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/testkit/golden"
	"github.com/fermata-dev/fermata/providers"
)

// One conversation as each vendor gets it, in both protocols: what is special about a
// vendor shows as a difference between files.
func TestGoldenRequests(t *testing.T) {
	vendors := map[string]*kind{"openai": openAIKind()}
	for _, p := range presets {
		vendors[p.Name] = compatible()
	}
	for name, k := range vendors {
		t.Run(name, func(t *testing.T) {
			config := map[string]any{"model": "a-model", "max_tokens": 5000, "temperature": 0.2, "parallel_tool_calls": true}
			if name != "openai" {
				config["preset"] = name
			}
			if name == "none" {
				config["base_url"] = "http://127.0.0.1:9999/v1"
			}
			raw, err := json.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			p, err := k.provider(raw, "sk-x", nil)
			if err != nil {
				t.Fatal(err)
			}
			var all bytes.Buffer
			for _, prompt := range goldenPrompts(p.Abilities().NativeCalls, k.name) {
				body := encoded(t, p, &providers.Request{Prompt: prompt, OnDelta: func(providers.Delta) {}})
				if err := json.Indent(&all, []byte(body), "", "  "); err != nil {
					t.Fatalf("not JSON: %v in %s", err, body)
				}
				all.WriteByte('\n')
			}
			golden.Check(t, filepath.Join("testdata", "requests", name+".json"), all.String())
		})
	}
}

// goldenPrompts are a conversation with calls, where there are any, and one whose
// answer is a JSON object.
func goldenPrompts(calls bool, provider string) []*ai.Prompt {
	answer := &domain.RawAnswer{
		Provider: provider, Text: "I look.", Thinking: []domain.Thinking{{Text: "They ask for zones."}},
		Calls: []domain.RawCall{
			{ID: "call_0197aaaa", ProviderID: "call_theirs_1", Name: "ZONES", Arguments: `{}`},
			{ID: "call_0197bbbb", Name: "TOOL_DATA", Arguments: `{"tool_id": "tol_1"}`},
		},
	}
	native := &ai.Prompt{
		System: "Rules.", UserData: "Data.", Tail: "It is 2026-11-21.", Protocol: domain.ProtocolNative,
		Commands: []domain.CommandSpec{{Name: "ZONES", Description: "List the zones.", Params: []byte(`{"type":"object","properties":{},"additionalProperties":false}`)}},
		Turns: []*ai.Turn{
			text("What is there?"), said(answer), results(answer, `{"zones":[]}`, "FAILED not_found", "Data of a person: é"),
			said(&domain.RawAnswer{Provider: provider, Text: "Nothing.", Thinking: []domain.Thinking{{Text: "All empty."}}}), text("Thanks"),
		},
	}
	object := &ai.Prompt{
		System: "Rules, as JSON.", Tail: "It is 2026-11-21.", Protocol: domain.ProtocolJSON,
		AnswerSchema: []byte(`{"type":"object","properties":{"pre_text":{"type":"string"},"post_text":{"type":"string"}},"required":["pre_text"]}`),
		Turns:        []*ai.Turn{text("What is there?"), said(&domain.RawAnswer{Provider: provider, Text: `{"pre_text":"Nothing."}`}), text("Thanks")},
	}
	if !calls {
		return []*ai.Prompt{object}
	}
	return []*ai.Prompt{native, object}
}
