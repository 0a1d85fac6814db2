package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// sampleText is an answer in the JSON Schema that a prompt asks for: the demo has no model to fill it in, so its
// texts are what it has said, and its numbers those of that text.
func sampleText(p *ai.Prompt, said string) string {
	if last := lastSaid(p); last != "" {
		said = last
	}
	root, err := jsonbody.Value(p.AnswerSchema)
	if err != nil {
		return "null"
	}
	s := &sampler{root: root, said: said}
	return string(encode(s.value(root)))
}

// lastSaid is the demo's latest answer in a prompt.
func lastSaid(p *ai.Prompt) string {
	for i := range slices.Backward(p.Turns) {
		if p.Turns[i].Role != ai.TurnAssistant {
			continue
		}
		for _, b := range p.Turns[i].Blocks {
			if b.Answer != nil && b.Answer.Text != "" {
				return b.Answer.Text
			}
			if b.Text != "" {
				return b.Text
			}
		}
	}
	return ""
}

// sampler makes a value for a schema that has been checked: it is not recursive.
type sampler struct {
	root any
	said string
}

var numeral = regexp.MustCompile(`-?\d+(?:\.\d+)?`)

func (s *sampler) value(node any) any {
	of, ok := node.(map[string]any)
	if !ok {
		return s.said
	}
	if ref, ok := of["$ref"].(string); ok {
		if target, err := schema.Find(s.root, ref); err == nil {
			return s.value(target)
		}
	}
	for _, name := range []string{"const", "default"} {
		if given, ok := of[name]; ok {
			return given
		}
	}
	for _, name := range []string{"enum", "examples"} {
		if list, ok := of[name].([]any); ok && len(list) > 0 {
			return s.mentioned(list)
		}
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if list, ok := of[name].([]any); ok && len(list) > 0 {
			return s.value(list[0])
		}
	}
	return s.ofType(of)
}

// mentioned is the value of a list that the demo's text has; the first if it has none.
func (s *sampler) mentioned(list []any) any {
	for _, one := range list {
		if text, ok := one.(string); ok && text != "" && strings.Contains(strings.ToLower(s.said), strings.ToLower(text)) {
			return one
		}
	}
	return list[0]
}

func (s *sampler) ofType(of map[string]any) any {
	kind, _ := of["type"].(string)
	if list, ok := of["type"].([]any); ok && len(list) > 0 {
		kind, _ = list[0].(string)
	}
	properties, _ := of["properties"].(map[string]any)
	switch {
	case kind == "object" || kind == "" && properties != nil:
		all := object{}
		for name, one := range properties {
			all[name] = s.value(one)
		}
		return all
	case kind == "array":
		list := []any{}
		for len(list) < max(1, whole(of["minItems"])) && len(list) < 100 && whole(of["maxItems"]) != 0 {
			list = append(list, s.value(of["items"]))
		}
		return list
	case kind == "integer" || kind == "number":
		return s.number(of, kind == "integer")
	case kind == "boolean":
		return true
	case kind == "null":
		return nil
	}
	return s.text(of)
}

// whole is a small number of a schema; -1 if it is not given.
func whole(given any) int {
	number, ok := given.(json.Number)
	if !ok {
		return -1
	}
	n, err := number.Int64()
	if err != nil {
		return -1
	}
	return int(min(n, 1000))
}

func (s *sampler) number(of map[string]any, integer bool) any {
	found := numeral.FindString(s.said)
	if integer {
		found, _, _ = strings.Cut(found, ".")
	}
	if least, ok := of["minimum"].(json.Number); ok {
		found = string(least)
	}
	if found == "" {
		found = "1"
	}
	return json.Number(found)
}

// samples are values of the formats of texts.
var samples = map[string]string{
	"date": "2026-01-01", "date-time": "2026-01-01T09:00:00Z", "time": "09:00:00Z", "duration": "P1D",
	"email": "demo@example.com", "hostname": "example.com", "uri": "https://example.com/", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uuid": "00000000-0000-4000-8000-000000000000",
}

func (s *sampler) text(of map[string]any) string {
	format, _ := of["format"].(string)
	if sample, ok := samples[format]; ok {
		return sample
	}
	text := s.said
	if most := whole(of["maxLength"]); most >= 0 && len([]rune(text)) > most {
		text = string([]rune(text)[:most])
	}
	if least := whole(of["minLength"]); len([]rune(text)) < least {
		text += strings.Repeat(".", least-len([]rune(text)))
	}
	return text
}
