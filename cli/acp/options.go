package acp

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/api"
)

// option is an answer that a person can choose, and its form in the API.
type option struct {
	name   string
	kind   string
	answer fields
}

const (
	allow  = "allow_once"
	reject = "reject_once"
)

// module is what is decoded of a question of the AI.
type module struct {
	Question string          `json:"question"`
	Message  string          `json:"message"`
	Title    string          `json:"title"`
	Options  []string        `json:"options"`
	Steps    []string        `json:"steps"`
	Multiple bool            `json:"multiple"`
	Schema   json.RawMessage `json:"schema"`
}

func moduleOf(a *api.Approval) (kind string, m module) {
	if a.Module == nil {
		return "", m
	}
	_ = json.Unmarshal(a.Module.Data, &m) // validated by the server; missing fields are empty
	return a.Module.Type, m
}

// maxOptions limits the answers to choose from.
const maxOptions = 12

// answerOptions returns the answers to an approval; none if it cannot be answered by choosing one.
func answerOptions(a *api.Approval) []option {
	switch a.Kind {
	case api.ApprovalActions:
		return actionOptions(a)
	case api.ApprovalQuestion:
		return questionOptions(a)
	case api.ApprovalCompletion:
		return []option{{"It is finished", allow, fields{"confirmed": true}}, {"Not yet", reject, fields{"confirmed": false}}}
	case api.ApprovalOutcome:
		return []option{
			{"It happened", allow, fields{"outcome": "happened"}}, {"It did not", reject, fields{"outcome": "did_not"}},
			{"Run it again", allow, fields{"outcome": "run_again"}},
		}
	case api.ApprovalClientCalls:
		return []option{{"Stop waiting", reject, fields{"approved": false}}}
	case api.ApprovalReconnect:
		return yesNo("Signed in: try again", "Do without")
	case api.ApprovalBudget:
		return yesNo("Go on", "Stop here")
	}
	return yesNo("Try again", "Stop")
}

func yesNo(yes, no string) []option {
	return []option{{yes, allow, fields{"approved": true}}, {no, reject, fields{"approved": false}}}
}

func actionOptions(a *api.Approval) []option {
	if len(a.Actions) == 1 {
		return yesNo("Approve", "Refuse")
	}
	all := yesNo(fmt.Sprintf("Approve all %d", len(a.Actions)), "Refuse all")
	if len(a.Actions)+len(all) > maxOptions {
		return all
	}
	for i, action := range a.Actions {
		all = append(all, option{fmt.Sprintf("Only %d", i+1), allow, fields{"approved": true, "approved_ids": []string{action.ID}}})
	}
	return all
}

func questionOptions(a *api.Approval) []option {
	leave := option{"Leave it unanswered", reject, fields{"cancelled": true}}
	switch kind, m := moduleOf(a); {
	case kind == "Validation", kind == "Plan":
		return []option{{"Yes", allow, fields{"value": true}}, {"No", reject, fields{"value": false}}, leave}
	case kind == "MultipleChoice" && !m.Multiple && len(m.Options) < maxOptions:
		var all []option
		for _, name := range m.Options {
			all = append(all, option{name, allow, fields{"value": name}})
		}
		return append(all, leave)
	}
	return nil
}

// formOf returns the schema of a form for the answer to a question; nil if the editor cannot show
// it.
func formOf(a *api.Approval) any {
	switch kind, m := moduleOf(a); {
	case kind == "MultipleChoice" && m.Multiple:
		items := fields{"type": "string", "enum": m.Options}
		return oneField(fields{"type": "array", "title": "Your answer", "items": items, "minItems": 1})
	case kind == "MultipleChoice":
		return oneField(fields{"type": "string", "title": "Your answer", "enum": m.Options})
	case kind == "Text":
		return oneField(fields{"type": "string", "title": "Your answer", "minLength": 1})
	case kind == "Form" && flat(m.Schema):
		return m.Schema
	}
	return nil
}

func oneField(property fields) fields {
	return fields{"type": "object", "properties": fields{"value": property}, "required": []string{"value"}}
}

// flat reports whether each field of a form has a single value or a list of options: the protocol
// has no other forms.
func flat(schema json.RawMessage) bool {
	var form struct {
		Properties map[string]struct {
			Type  any `json:"type"`
			Items struct {
				Enum []string `json:"enum"`
			} `json:"items"`
		} `json:"properties"`
	}
	if json.Unmarshal(schema, &form) != nil || len(form.Properties) == 0 {
		return false
	}
	for _, p := range form.Properties {
		switch p.Type {
		case "string", "number", "integer", "boolean":
		case "array":
			if len(p.Items.Enum) == 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// valueOf returns the answer in the form of the API.
func valueOf(a *api.Approval, content map[string]json.RawMessage) fields {
	if a.Module.Type == "Form" {
		return fields{"value": content}
	}
	return fields{"value": content["value"]}
}
