package commands

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/fermata-dev/fermata/commands/modules"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// ask is what a call needs of a person: a sign-in or an answer; nil: nothing. What was declined is not
// requested again.
func (e *Env) ask(spec *domain.CommandSpec, x *domain.Execution, r outside.Result, err error) *domain.OutsideAsk {
	ask := domain.OutsideAsk{ExecutionID: x.ID, Connector: spec.Connector, Name: cmp.Or(spec.ConnectorName, spec.Name)}
	switch {
	case err != nil && outside.FaultOf(err) == outside.FaultSignIn && !e.Answers[x.ID].Refused:
		ask.Why = messageOf(err)
	case err == nil && r.Question != nil:
		shown, schema, ok := ShownQuestion(r.Question)
		if !ok {
			return nil // it cannot be answered
		}
		ask.Question, ask.ResponseSchema, ask.Open = shown, schema, r.Open
	default:
		return nil
	}
	return &ask
}

// maxTitle bounds the heading of a form, in characters.
const maxTitle = 500

// ShownQuestion is a server's question as a person is shown it: what would turn, hide or
// imitate its texts is escaped. false: it is no question that can be shown.
func ShownQuestion(asked *domain.Module) (shown *domain.Module, response json.RawMessage, ok bool) {
	value, err := jsonbody.Value(asked.Data)
	if err != nil {
		return nil, nil, false
	}
	value = visibleTexts(value)
	if fields, is := value.(map[string]any); is {
		if title, is := fields["title"].(string); is && asked.Type == "Form" {
			fields["title"] = shorten.Characters(title, maxTitle)
		}
		if message, is := fields["message"].(string); is && message == "" {
			fields["message"] = "?"
		}
	}
	shown = &domain.Module{Type: asked.Type, Data: jsonbody.Encode(value)}
	if err := modules.Check(shown); err != nil {
		return nil, nil, false
	}
	return shown, modules.ResponseSchema(shown), true
}

// visibleTexts escapes the texts that are only displayed. Choices are sent back unchanged.
func visibleTexts(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, part := range v {
			if text, is := part.(string); is && slices.Contains(readTexts, name) {
				v[name] = visible.Text(text)
			} else {
				v[name] = visibleTexts(part)
			}
		}
	case []any:
		for i := range v {
			v[i] = visibleTexts(v[i])
		}
	}
	return value
}

var readTexts = []string{"title", "message", "description", "question"}
