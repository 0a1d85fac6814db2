package prompt

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// parseNative parses text and native calls.
func parseNative(raw *domain.RawAnswer, in ParseInput) (*domain.AIMessage, string) {
	if len(raw.Calls) > 0 && raw.Partial() {
		return nil, "Your answer " + Ended(raw) + ", so none of its calls was run. " + shorter
	}
	answer := &domain.AIMessage{PreText: cleanText(raw.Text)}
	for i := range raw.Calls {
		call := &raw.Calls[i]
		params, problem := arguments(call, i)
		if problem != "" {
			return nil, problem
		}
		if problem := take(answer, call, params, in); problem != "" {
			return nil, problem
		}
	}
	if len(raw.Calls) == 0 && strings.TrimSpace(raw.Text) == "" {
		return nil, "The answer is empty. Answer with text, with calls, or with both."
	}
	return answer, ""
}

// take adds one call to its part of the answer.
func take(answer *domain.AIMessage, call *domain.RawCall, params json.RawMessage, in ParseInput) string {
	switch call.Name {
	case domain.AskUser:
		if answer.Module != nil {
			return "The answer asks more than one question (ASK_USER). Ask one; a Form holds several fields."
		}
		module, problem := moduleOf(params, "the arguments of ASK_USER")
		answer.Module = module
		return problem
	case domain.Complete:
		answer.Completed = true
		if strings.TrimSpace(answer.PreText) == "" {
			answer.PreText = summaryOf(params)
		}
		report(answer, call, in.SessionType)
		return ""
	case domain.AskPrincipal:
		answer.Completed = true
		report(answer, call, in.SessionType)
		return ""
	}
	if in.Client[call.Name] {
		answer.ClientCalls = append(answer.ClientCalls, domain.ClientCall{ID: call.ID, Name: call.Name, Params: params})
		return ""
	}
	c := newCommand(in.named(call.Name), params, call.ID)
	addCommand(answer, c, in.Specs[c.Type])
	if c.ValidationRequest {
		answer.ValidationRequest = true
	}
	if in.Specs[c.Type] == domain.KindAction && keepsControl(params) {
		answer.KeepControl = true
	}
	return ""
}

// keepsControl reports whether an action's arguments request another call with the results.
func keepsControl(params json.RawMessage) bool {
	var flags struct {
		KeepControl json.RawMessage `json:"keep_control"`
	}
	return json.Unmarshal(params, &flags) == nil && isTrue(flags.KeepControl)
}

// arguments returns a call's arguments as an object.
func arguments(call *domain.RawCall, at int) (json.RawMessage, string) {
	text := strings.TrimSpace(call.Arguments)
	if text == "" {
		return json.RawMessage("{}"), ""
	}
	where := fmt.Sprintf("The arguments of call %d (%s)", at+1, shorten.Bytes(cleanText(call.Name), 64))
	clean, err := cleanJSON(text)
	if err != nil {
		return nil, where + " are " + err.Error() + ". No call of the answer was run."
	}
	if !isObject(clean) {
		return nil, where + " must be one JSON object. No call of the answer was run."
	}
	return clean, ""
}

// summaryOf returns the summary in COMPLETE, shown if the answer has no text.
func summaryOf(params json.RawMessage) string {
	var p struct {
		Summary json.RawMessage `json:"summary"`
	}
	var summary string
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p.Summary, &summary) != nil {
		return ""
	}
	return cleanText(summary)
}

// moduleOf reads a communication module: a type and its data. The planner validates the data.
func moduleOf(object json.RawMessage, where string) (*domain.Module, string) {
	fields, problem := fieldsOf(object, where, "type", "data", "repeat", "validation_request")
	if problem != "" {
		return nil, problem
	}
	kind, problem := stringField(fields, "type", where)
	if problem != "" {
		return nil, problem
	}
	if kind == "" {
		return nil, where + " need a \"type\": MultipleChoice, Validation, Text, Form or Plan."
	}
	data := fields["data"]
	if !isObject(data) {
		return nil, where + ": \"data\" must be an object with what the module of type " + shorten.Bytes(kind, 64) + " needs."
	}
	return &domain.Module{Type: kind, Data: data}, ""
}
