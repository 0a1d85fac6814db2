package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// keep and leaveOut are the inputs that keep a value, and remove it.
const keep, leaveOut = ".", "-"

// askLines starts asking for the values.
func (q *asking) askLines() {
	for i, action := range q.approval.Actions {
		params, number := action.Params, ""
		if edited, ok := q.edits.params[action.ID]; ok {
			params = edited
		}
		if len(q.approval.Actions) > 1 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		for _, field := range fieldsOf(params) {
			q.edits.asked = append(q.edits.asked, lineEdit{action.ID, number, field.name, field.value})
		}
	}
}

type namedValue struct {
	name  string
	value json.RawMessage
}

// fieldsOf are the fields of an object, in order.
func fieldsOf(object []byte) (fields []namedValue) {
	decoder := json.NewDecoder(bytes.NewReader(object))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		name, err := decoder.Token()
		field := namedValue{name: fmt.Sprint(name)}
		if err != nil || decoder.Decode(&field.value) != nil {
			return fields
		}
		fields = append(fields, field)
	}
	return fields
}

// question asks for the value.
func (e *lineEdit) question() string {
	return fmt.Sprintf("%s%s, now %s (%s keeps it, %s removes it):", e.number, e.field, api.Visible(string(e.now)), keep, leaveOut)
}

// feedLine handles the value that was asked for; after the last one it returns a summary.
func (q *asking) feedLine(text string) string {
	problem := q.feedEdit(text)
	switch {
	case problem != "" || len(q.edits.asked) > 0:
		return problem
	case len(q.edits.params) == 0:
		return "(no changes)"
	}
	return strings.Join(q.editLines(), "\n")
}

// feedEdit parses the value that was asked for; problem explains an invalid one.
func (q *asking) feedEdit(text string) (problem string) {
	e := q.edits.asked[0]
	value := json.RawMessage(strings.TrimSpace(text))
	switch {
	case text == keep:
		value = e.now
	case text == leaveOut:
		value = nil
	case e.now[0] == '"':
		encoded, err := json.Marshal(text)
		if err != nil {
			return err.Error()
		}
		value = encoded
	case !json.Valid(value):
		return "Please enter it as JSON: a number, true, false, null, or in the form shown."
	}
	i := slices.IndexFunc(q.approval.Actions, func(a api.ApprovalAction) bool { return a.ID == e.action })
	asked := q.approval.Actions[i].Params
	var params map[string]json.RawMessage
	if err := json.Unmarshal(orEmptyObject(asked), &params); err != nil {
		return err.Error()
	}
	if edited, ok := q.edits.params[e.action]; ok {
		clear(params)
		if err := json.Unmarshal(edited, &params); err != nil {
			return err.Error()
		}
	}
	if params[e.field] = value; value == nil {
		delete(params, e.field)
	}
	now, err := json.Marshal(params)
	if err != nil {
		return err.Error()
	}
	q.edits.params = maps.Clone(q.edits.params)
	if q.edits.params == nil {
		q.edits.params = map[string]json.RawMessage{}
	}
	if q.edits.params[e.action] = now; sameJSON(now, asked) {
		delete(q.edits.params, e.action)
	}
	q.edits.text, q.edits.asked = "", q.edits.asked[1:]
	return ""
}
