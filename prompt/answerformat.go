package prompt

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// AnswerFormats checks final answers against the formats that clients ask for. The zero value is ready, and
// safe for concurrent use.
type AnswerFormats struct{ schemas schema.Cache }

// Find returns the JSON value of an answer that satisfies the format, as the model wrote it: the whole text, or
// the value within a code fence or prose. Otherwise problem describes for the AI why there is none.
func (f *AnswerFormats) Find(raw *domain.RawAnswer, format *domain.AnswerFormat) (value, problem string) {
	var nearest error
	for _, text := range valuesIn(raw.Text) {
		clean, err := cleanJSON(text)
		if err != nil {
			continue
		}
		if err = f.schemas.Check(format.Schema, clean, ""); err == nil {
			return string(clean), ""
		}
		if nearest == nil {
			nearest = err
		}
	}
	switch {
	case raw.Partial():
		return "", "Your answer " + Ended(raw) + ", before the JSON value was complete."
	case nearest == nil:
		return "", "Your answer is not a JSON value."
	}
	return "", "Your answer does not satisfy the schema. " + listMistakes(nearest)
}

// valuesIn returns the parts of a text that may be its JSON value, the likeliest first.
func valuesIn(text string) []string {
	if len(text) > jsonbody.MaxAnswer {
		return nil
	}
	all := []string{strings.TrimSpace(text)}
	if _, rest, fenced := strings.Cut(text, "```"); fenced {
		rest = strings.TrimPrefix(rest, "json")
		if inside, _, closed := strings.Cut(rest, "```"); closed {
			all = append(all, strings.TrimSpace(inside))
		}
	}
	for _, c := range candidates(text) {
		if c.closed {
			all = append(all, c.text)
		}
	}
	return all
}

// listMistakes describes each mistake of a value with its position.
func listMistakes(err error) string {
	wrong, ok := errors.AsType[*schema.Error](err)
	if !ok {
		return err.Error()
	}
	lines := make([]string, len(wrong.Mistakes))
	for i, m := range wrong.Mistakes {
		lines[i] = strings.TrimPrefix(m.Pointer+": ", ": ") + m.Message
	}
	return strings.Join(lines, " ")
}

// FormatNotice asks the AI for the format of its final answer. closing: the answer to this prompt is the final
// one, and no commands are offered.
func FormatNotice(format *domain.AnswerFormat, protocol domain.Protocol, closing bool) string {
	text := "The program that sent the message reads your final answer, the one without calls. That answer is one JSON value which " +
		"satisfies this JSON Schema, and nothing else: no prose, no code fence."
	switch {
	case closing:
		text = "Answer now with one JSON value which satisfies this JSON Schema, and nothing else: no prose, no code fence, no commands."
	case protocol == domain.ProtocolJSON:
		text = "The program that sent the message reads your final answer, the one without commands. The pre_text of that answer is one " +
			"JSON value, as a text, which satisfies this JSON Schema, and nothing else."
	}
	if format.Description != "" {
		text += "\nWhat it is for: " + format.Description
	}
	return Notice("ANSWER_FORMAT", text+"\n"+string(compactSchema(format.Schema)))
}

// compactSchema removes the whitespace of a schema, which costs tokens.
func compactSchema(raw json.RawMessage) json.RawMessage {
	value, err := jsonbody.Value(raw)
	if err != nil {
		return raw
	}
	return jsonbody.Encode(value)
}
