package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// codeUnknownModule is the code of a module type that does not exist: such a module is
// ignored with a note to the AI, while one that is wrong is a format error.
const codeUnknownModule domain.Code = "unknown_module"

// module is a form of question: the schema of its data, of the answer to it, and the
// answer in words.
type module struct {
	schema   json.RawMessage
	check    func(data json.RawMessage) error // beyond the schema; nil: nothing
	response func(data moduleData) json.RawMessage
	text     func(data moduleData, value any) string
}

// moduleData is the data of every kind of module.
type moduleData struct {
	Question    string          `json:"question"`
	Message     string          `json:"message"`
	Title       string          `json:"title"`
	Placeholder string          `json:"placeholder"`
	Options     []string        `json:"options"`
	Multiple    bool            `json:"multiple"`
	AllowOther  bool            `json:"allow_other"`
	Steps       []string        `json:"steps"`
	Schema      json.RawMessage `json:"schema"`
}

const longText = `{"type": "string", "minLength": 1, "maxLength": 10000}`

var modules = map[string]module{
	"MultipleChoice": {
		schema: object(`"question": `+longText+`, "options": {"type": "array", "minItems": 2, "maxItems": 50, "uniqueItems": true,
			"items": {"type": "string", "minLength": 1, "maxLength": 500}}, "multiple": {"type": "boolean"}, "allow_other": {"type": "boolean"}`, "question", "options"),
		response: choiceSchema, text: choiceText,
	},
	"Validation": {schema: object(`"message": `+longText, "message"), response: yesSchema, text: yesText},
	"Text": {
		schema: object(`"question": `+longText+`, "placeholder": {"type": "string", "maxLength": 500}`, "question"),
		response: func(moduleData) json.RawMessage {
			return json.RawMessage(`{"type":"string","minLength":1,"maxLength":100000}`)
		},
		text: func(_ moduleData, value any) string { return fmt.Sprint(value) },
	},
	"Form": {
		schema: object(`"title": {"type": "string", "maxLength": 500}, "schema": {"type": "object"}`, "schema"),
		check:  checkForm, response: formSchema, text: formText,
	},
	"Plan": {
		schema:   object(`"title": {"type": "string", "maxLength": 500}, "steps": {"type": "array", "minItems": 1, "maxItems": 50, "items": `+longText+`}`, "steps"),
		response: yesSchema, text: yesText,
	},
}

// moduleSchemas caches the schemas of modules and of the answers to them.
var moduleSchemas schemaCache

// CheckModule says whether a module can be shown. Its code is unknown_module for a
// type that does not exist.
func CheckModule(m *domain.Module) error {
	kind, ok := modules[m.Type]
	if !ok {
		return &domain.Error{Code: codeUnknownModule, Message: fmt.Sprintf("There is no communication module %s. There are: %s.",
			quoted(m.Type), strings.Join(slices.Sorted(maps.Keys(modules)), ", ")),
			Fields: []domain.FieldError{{Pointer: "/type", Code: "unknown", Message: "This type of module does not exist."}}}
	}
	data := m.Data
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if err := moduleSchemas.check(kind.schema, data, "/data"); err != nil {
		return err
	}
	if kind.check == nil {
		return nil
	}
	return kind.check(data)
}

func readModule(data json.RawMessage) (moduleData, error) {
	var d moduleData
	if err := json.Unmarshal(data, &d); err != nil {
		return d, fmt.Errorf("read the module's data: %w", err)
	}
	return d, nil
}

// ResponseSchema is the JSON Schema of the answer to a module that was checked.
func ResponseSchema(m *domain.Module) json.RawMessage {
	kind, ok := modules[m.Type]
	if !ok {
		return json.RawMessage("false")
	}
	data, err := readModule(m.Data)
	if err != nil {
		return json.RawMessage("false")
	}
	return kind.response(data)
}

// CheckResponse holds a person's answer against its module. Pointers begin with
// /value.
func CheckResponse(m *domain.Module, value json.RawMessage) error {
	if len(value) == 0 {
		return domain.Invalid("/value", "required", "An answer is required.")
	}
	if err := moduleSchemas.check(ResponseSchema(m), value, "/value"); err != nil {
		return err
	}
	return nil
}

// ResponseText is the answer in words, as the AI reads it.
func ResponseText(m *domain.Module, value json.RawMessage) string {
	kind, ok := modules[m.Type]
	answer, err := parseJSON(value)
	if !ok || err != nil {
		return string(value)
	}
	data, err := readModule(m.Data)
	if err != nil {
		return string(value)
	}
	return kind.text(data, answer)
}

func yesSchema(moduleData) json.RawMessage { return json.RawMessage(`{"type":"boolean"}`) }

func yesText(_ moduleData, value any) string {
	if value == true {
		return "Yes"
	}
	return "No"
}

func choiceSchema(d moduleData) json.RawMessage {
	one := fmt.Sprintf(`{"type":"string","enum":%s}`, encode(d.Options))
	if d.AllowOther {
		one = `{"type":"string","minLength":1,"maxLength":10000}`
	}
	if !d.Multiple {
		return json.RawMessage(one)
	}
	return json.RawMessage(`{"type":"array","minItems":1,"maxItems":50,"uniqueItems":true,"items":` + one + `}`)
}

func choiceText(_ moduleData, value any) string {
	items, ok := value.([]any)
	if !ok {
		return fmt.Sprint(value)
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = fmt.Sprint(item)
	}
	return strings.Join(texts, ", ")
}

// flatField is what a form may ask: one value, or several texts from a list.
type flatField struct {
	Type  string          `json:"type"`
	Title string          `json:"title"`
	Items json.RawMessage `json:"items"`
}

// flatForm is the schema of a form, read as far as it matters here.
type flatForm struct {
	Type       string               `json:"type"`
	Properties map[string]flatField `json:"properties"`
	Required   []string             `json:"required"`
}

func readForm(data json.RawMessage) (flatForm, error) {
	var d struct {
		Schema flatForm `json:"schema"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return flatForm{}, domain.Invalid("/data/schema", "schema", "The form's schema is not a JSON Schema of an object with flat fields.")
	}
	return d.Schema, nil
}

func checkForm(data json.RawMessage) error {
	form, err := readForm(data)
	if err != nil {
		return err
	}
	if form.Type != "object" || len(form.Properties) == 0 {
		return domain.Invalid("/data/schema", "schema", `A form's schema has "type": "object" and at least one of "properties".`)
	}
	for _, name := range slices.Sorted(maps.Keys(form.Properties)) {
		field, at := form.Properties[name], "/data/schema/properties/"+escapePointer(name)
		switch field.Type {
		case "string", "number", "integer", "boolean":
		case "array":
			var item flatField
			if json.Unmarshal(field.Items, &item) != nil || item.Type != "string" {
				return domain.Invalid(at, "flat", "The field %s is a list: its items must be texts.", quoted(name))
			}
		default:
			return domain.Invalid(at, "flat", "The field %s must be a string, number, integer, boolean or a list of strings: a form is flat.", quoted(name))
		}
	}
	for _, name := range form.Required {
		if _, ok := form.Properties[name]; !ok {
			return domain.Invalid("/data/schema/required", "unknown", "The required field %s is not among the properties.", quoted(name))
		}
	}
	d, err := readModule(data)
	if err != nil {
		return err
	}
	if _, err := moduleSchemas.compile(formSchema(d)); err != nil {
		return domain.Invalid("/data/schema", "schema", "The form's schema cannot be used: %v.", err)
	}
	return nil
}

// formSchema is the form's own schema, closed: an answer has no other fields.
func formSchema(d moduleData) json.RawMessage {
	value, err := parseJSON(d.Schema)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return json.RawMessage("false")
	}
	fields["additionalProperties"] = false
	return encode(fields)
}

func formText(d moduleData, value any) string {
	answers, ok := value.(map[string]any)
	if !ok {
		return string(encode(value))
	}
	var form flatForm
	if json.Unmarshal(d.Schema, &form) != nil {
		return string(encode(value))
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		label := name
		if title := form.Properties[name].Title; title != "" {
			label = title + " (" + name + ")"
		}
		text, isText := answers[name].(string)
		if !isText {
			text = string(encode(answers[name]))
		}
		lines = append(lines, label+": "+text)
	}
	return strings.Join(lines, "\n")
}
