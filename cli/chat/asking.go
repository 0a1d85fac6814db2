package chat

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// asking is an open approval or question, until it is answered.
type asking struct {
	approval *api.Approval
	form     []formField // the fields of a Form, answered one by one
	values   map[string]any
	sent     bool // its answer is being sent
	edits    edits
}

// edits are a person's changes to the actions of an approval.
type edits struct {
	params map[string]json.RawMessage // by the action's id; only those that differ
	text   string                     // as the editor saved it
	wrong  []string                   // problems in it
	asked  []lineEdit                 // remaining values to ask for, without an editor
}

// lineEdit is one value to edit without an editor.
type lineEdit struct {
	action string // its id
	number string // of the action, if there are several
	field  string
	now    json.RawMessage
}

func newAsking(a *api.Approval) *asking {
	q := &asking{approval: a, values: map[string]any{}}
	if a.Module != nil && a.Module.Type == "Form" {
		q.form = formFields(a.Module.Data)
	}
	return q
}

// byFlag is the answer given by --yes or --no; nil if neither is an answer to this question.
func (q *asking) byFlag(yes bool) map[string]any {
	switch q.approval.Kind {
	case api.ApprovalQuestion:
		if yesOrNo(q.approval.Module) {
			return map[string]any{"value": yes}
		}
		if !yes {
			return map[string]any{"cancelled": true}
		}
		return nil
	case api.ApprovalCompletion:
		return map[string]any{"confirmed": yes}
	case api.ApprovalOutcome:
		return nil
	}
	return map[string]any{"approved": yes}
}

func yesOrNo(m *api.Module) bool {
	return m != nil && (m.Type == "Validation" || m.Type == "Plan")
}

// question is the question, on one line.
func (q *asking) question() string {
	a := q.approval
	if len(q.edits.asked) > 0 {
		return q.edits.asked[0].question()
	}
	switch a.Kind {
	case api.ApprovalQuestion:
		return q.moduleQuestion()
	case api.ApprovalOutcome:
		return "Did it happen? [yes / no / again]"
	case api.ApprovalClientCalls:
		return "The result comes from another program. Stop waiting for it? [n: stop]"
	case api.ApprovalReconnect:
		return "Signed in: try again? [y / n: continue without]"
	case api.ApprovalCompletion:
		return "Is it finished? [y / n / what is missing]"
	case api.ApprovalActions:
		approve := map[bool]string{true: "Approve as edited?", false: "Approve?"}[len(q.edits.params) > 0]
		if len(a.Actions) > 1 {
			return approve + " [y / n / edit / some: 1,3 / n and a comment]"
		}
		return approve + " [y / n / edit / n and a comment]"
	}
	return "Continue? [y / n]"
}

func (q *asking) moduleQuestion() string {
	switch m := q.approval.Module; {
	case m == nil:
		return "Your answer:"
	case yesOrNo(m):
		return "[y / n, or /cancel]"
	case m.Type == "MultipleChoice" && choiceOf(m.Data).Multiple:
		return "Numbers like 1,3 (or /cancel):"
	case m.Type == "MultipleChoice":
		return "Number (or /cancel):"
	case m.Type == "Form" && len(q.values) < len(q.form):
		return q.form[len(q.values)].ask()
	}
	return "Your answer (or /cancel):"
}

// feed parses a line; nil if more input is needed; problem explains an invalid line.
func (q *asking) feed(text string) (answer map[string]any, problem string) {
	if len(q.edits.asked) > 0 {
		return nil, q.feedLine(text)
	}
	answer, problem = q.understand(text)
	return q.withEdits(answer), problem
}

func (q *asking) understand(text string) (answer map[string]any, problem string) {
	yes, no, rest := yesNo(text)
	switch q.approval.Kind {
	case api.ApprovalQuestion:
		return q.feedModule(text)
	case api.ApprovalOutcome:
		outcome := map[string]string{"y": "happened", "yes": "happened", "n": "did_not", "no": "did_not",
			"again": "run_again"}[strings.ToLower(text)]
		if outcome == "" {
			return nil, "Please enter yes, no or again."
		}
		return map[string]any{"outcome": outcome}, ""
	case api.ApprovalCompletion:
		if yes {
			return map[string]any{"confirmed": true}, ""
		}
		return withComment(map[string]any{"confirmed": false}, cmp.Or(rest, map[bool]string{false: text}[no])), ""
	case api.ApprovalActions:
		if ids, ok := pick(text, q.approval.Actions); ok {
			return map[string]any{"approved": true, "approved_ids": ids}, ""
		}
	}
	switch {
	case yes:
		return map[string]any{"approved": true}, ""
	case no:
		return withComment(map[string]any{"approved": false}, rest), ""
	}
	return nil, "Please enter y or n. Nothing has been done."
}

func withComment(answer map[string]any, comment string) map[string]any {
	if comment != "" {
		answer["comment"] = comment
	}
	return answer
}

// pick parses numbers of actions.
func pick(text string, actions []api.ApprovalAction) (ids []string, ok bool) {
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > len(actions) {
			return nil, false
		}
		ids = append(ids, actions[n-1].ID)
	}
	return ids, len(ids) > 0
}

func (q *asking) feedModule(text string) (answer map[string]any, problem string) {
	if text == "/cancel" {
		return map[string]any{"cancelled": true}, ""
	}
	m := q.approval.Module
	switch {
	case m == nil:
	case yesOrNo(m):
		yes, no, _ := yesNo(text)
		if !yes && !no {
			return nil, "Please enter y or n, or /cancel."
		}
		return map[string]any{"value": yes}, ""
	case m.Type == "MultipleChoice":
		value, problem := choiceOf(m.Data).read(text)
		if problem != "" {
			return nil, problem
		}
		return map[string]any{"value": value}, ""
	case m.Type == "Form" && len(q.values) < len(q.form):
		return q.feedField(text)
	}
	return map[string]any{"value": text}, ""
}

func (q *asking) feedField(text string) (answer map[string]any, problem string) {
	field := q.form[len(q.values)]
	value, problem := field.read(text)
	if problem != "" {
		return nil, problem
	}
	q.values[field.name] = value
	if len(q.values) < len(q.form) {
		return nil, ""
	}
	filled := map[string]any{}
	for name, value := range q.values {
		if value != nil {
			filled[name] = value
		}
	}
	return map[string]any{"value": filled}, ""
}
