package prompt

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// answerFields are the fields of a JSON answer.
var answerFields = []string{
	"pre_text", "validation_request", "data_commands", "action_commands",
	"post_text", "keep_control", "communication_module", "completed",
}

// parseJSON parses an answer that is one JSON object, possibly surrounded by text.
func parseJSON(raw *domain.RawAnswer, in ParseInput) (*domain.AIMessage, string) {
	object, problem := findObject(raw)
	if problem != "" {
		return nil, problem
	}
	fields, problem := fieldsOf(object, "the answer", answerFields...)
	if problem != "" {
		return nil, problem
	}
	r := reader{fields: fields}
	answer := &domain.AIMessage{
		PreText:           cleanText(r.text("pre_text")),
		ValidationRequest: r.flag("validation_request"),
		PostText:          cleanText(r.text("post_text")),
		KeepControl:       r.flag("keep_control"),
		Completed:         r.flag("completed"),
		DataCommands:      r.commands("data_commands", in),
		ActionCommands:    r.commands("action_commands", in),
	}
	takeClientCalls(answer, in)
	if module, ok := r.fields["communication_module"]; ok && r.problem == "" {
		answer.Module, r.problem = moduleOf(module, "communication_module")
	}
	if r.problem == "" {
		r.problem = checkJSON(answer, fields)
	}
	return answer, r.problem
}

// takeClientCalls separates the calls of a client's tools from the commands: in JSON they look the
// same, in either list.
func takeClientCalls(a *domain.AIMessage, in ParseInput) {
	for _, list := range []*[]domain.Command{&a.DataCommands, &a.ActionCommands} {
		*list = slices.DeleteFunc(*list, func(c domain.Command) bool {
			if in.Client[c.Type] {
				a.ClientCalls = append(a.ClientCalls, domain.ClientCall{ID: c.CallID, Name: c.Type, Params: c.Params})
			}
			return in.Client[c.Type]
		})
	}
}

func checkJSON(a *domain.AIMessage, fields map[string]json.RawMessage) string {
	if _, ok := fields["pre_text"]; !ok {
		return "The field \"pre_text\" is missing: it is required, and may be \"\" beside commands."
	}
	if len(a.DataCommands) > 0 && len(a.ActionCommands) > 0 {
		return "The answer has both data_commands and action_commands; only one of them is allowed. Read first, act after the results."
	}
	empty := strings.TrimSpace(a.PreText) == "" && strings.TrimSpace(a.PostText) == ""
	if empty && len(a.DataCommands)+len(a.ActionCommands)+len(a.ClientCalls) == 0 && a.Module == nil && !a.Completed {
		return "The answer is empty: \"pre_text\" is \"\" and there is nothing beside it."
	}
	return ""
}

// reader reads typed fields of an object and records the first problem.
type reader struct {
	fields  map[string]json.RawMessage
	problem string
}

func (r *reader) text(name string) string {
	value, problem := stringField(r.fields, name, "")
	r.keep(problem)
	return value
}

func (r *reader) flag(name string) bool {
	value, ok := r.fields[name]
	if ok && string(value) != "true" && string(value) != "false" {
		r.keep(wrongType(name, "true or false", value))
	}
	return isTrue(value)
}

func (r *reader) keep(problem string) {
	if r.problem == "" {
		r.problem = problem
	}
}

// commands reads a list of {type, params}.
func (r *reader) commands(name string, in ParseInput) []domain.Command {
	value, ok := r.fields[name]
	if !ok || r.problem != "" {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(value, &items) != nil {
		r.keep(wrongType(name, "a list of commands", value))
		return nil
	}
	commands := make([]domain.Command, 0, len(items))
	for i, item := range items {
		c, problem := oneCommand(item, fmt.Sprintf("%s[%d]", name, i))
		c.Type = in.named(c.Type)
		if problem == "" && !in.Client[c.Type] {
			problem = misplaced(c.Type, name, i, in.Specs[c.Type])
		}
		if problem != "" {
			r.keep(problem)
			return nil
		}
		commands = append(commands, c)
	}
	for i := range commands {
		commands[i].CallID = in.NewID("call")
	}
	return commands
}

func oneCommand(item json.RawMessage, where string) (domain.Command, string) {
	fields, problem := fieldsOf(item, where, "type", "params")
	if problem != "" {
		return domain.Command{}, problem
	}
	name, problem := stringField(fields, "type", where)
	if problem == "" && name == "" {
		problem = where + ".type is missing: it is the name of the command."
	}
	if problem != "" {
		return domain.Command{}, problem
	}
	params, ok := fields["params"]
	if !ok {
		params = json.RawMessage("{}")
	}
	if !isObject(params) {
		return domain.Command{}, wrongType(where+".params", "an object", params)
	}
	return newCommand(name, params, ""), ""
}

// misplaced explains where a command belongs that is in the wrong list.
func misplaced(name, list string, at int, kind domain.CommandKind) string {
	var right string
	switch {
	case name == domain.AskUser:
		right = "ask with \"communication_module\": {\"type\", \"data\"}"
	case name == domain.Complete:
		right = "say it with \"completed\": true"
	case kind == domain.KindQuery && list != "data_commands":
		right = "it is a query and belongs in data_commands"
	case kind != "" && kind != domain.KindQuery && list == "data_commands":
		right = "it is an action and belongs in action_commands"
	default:
		return ""
	}
	return fmt.Sprintf("%s[%d]: %s does not stand there; %s.", list, at, shorten.Bytes(name, 64), right)
}

// fieldsOf decodes an object and rejects unknown fields. A null field counts as missing.
func fieldsOf(object json.RawMessage, where string, known ...string) (map[string]json.RawMessage, string) {
	var fields map[string]json.RawMessage
	if !isObject(object) || json.Unmarshal(object, &fields) != nil {
		return nil, wrongType(where, "an object", object)
	}
	var unknown []string
	for name, value := range fields {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
		if string(value) == "null" {
			delete(fields, name)
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, fmt.Sprintf("Unknown field %q in %s. Known are: %s.", shorten.Bytes(unknown[0], 64), where, strings.Join(shown(known), ", "))
	}
	return fields, ""
}

// shown omits from an error the fields that are accepted but undocumented.
func shown(known []string) []string {
	return slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == "repeat" })
}

func stringField(fields map[string]json.RawMessage, name, where string) (string, string) {
	value, ok := fields[name]
	if !ok {
		return "", ""
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		if where != "" {
			name = where + "." + name
		}
		return "", wrongType(name, "a string", value)
	}
	return text, ""
}

func wrongType(path, want string, got json.RawMessage) string {
	return fmt.Sprintf("%s must be %s, not %s.", path, want, typeName(got))
}

func typeName(value json.RawMessage) string {
	if len(value) == 0 {
		return "missing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
