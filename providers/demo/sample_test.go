package demo

import (
	"encoding/json"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/schema"
	"github.com/fermata-dev/fermata/providers"
)

// The demo answers in the schema that is asked for, with what it has said.
func TestTheDemoAnswersInASchema(t *testing.T) {
	p := &provider{}
	for of, want := range map[string]string{
		`{"type":"object","properties":{"n":{"type":"integer"},"text":{"type":"string","maxLength":5},"list":{"type":"array","items":{"$ref":"#/$defs/c"},"minItems":2}},"$defs":{"c":{"enum":["red","blue"]}}}`: `{"list":["blue","blue"],"n":3,"text":"Three"}`,
		`{"type":["integer","null"],"minimum":7}`: `7`,
		`{"anyOf":[{"const":{"a":1}},{}]}`:        `{"a":1}`,
		`{"type":"string","format":"date"}`:       `"2026-01-01"`,
		`{"type":"string","minLength":25}`:        `"Three: 3.5, blue ones...."`,
		`{"type":"array","maxItems":0}`:           `[]`,
		`{"type":"boolean"}`:                      `true`,
		`{"type":"null"}`:                         `null`,
		`{}`:                                      `"Three: 3.5, blue ones."`,
	} {
		answer, err := p.Query(t.Context(), &providers.Request{Prompt: &ai.Prompt{
			Protocol: domain.ProtocolNative, AnswerSchema: []byte(of), Turns: []*ai.Turn{
				{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "how many?"}}},
				{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "Three: 3.5, blue ones."}}},
				{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "in JSON"}}},
			},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := answer.Raw.Text; got != want || new(schema.Cache).Check([]byte(of), json.RawMessage(got), "") != nil {
			t.Errorf("%s: %s, want %s", of, got, want)
		}
	}
}
