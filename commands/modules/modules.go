package modules

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/schema"
)

// CodeUnknown is the code of a module type that does not exist: such a module is
// ignored with a note to the AI, while one that is wrong is a format error.
const CodeUnknown domain.Code = "unknown_module"

// module is a form of question: the schema of its data, of the answer to it, and the
// answer in words.
type module struct {
	schema   json.RawMessage
	check    func(data json.RawMessage) error // beyond the schema; nil: nothing
	response func(data moduleData) json.RawMessage
	text     func(data moduleData, value any, language string) string
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

var kinds = map[string]module{
	"MultipleChoice": {
		schema: schema.Object(`"question": `+longText+`, "options": {"type": "array", "minItems": 2, "maxItems": 50, "uniqueItems": true,
			"items": {"type": "string", "minLength": 1, "maxLength": 500}}, "multiple": {"type": "boolean"}, "allow_other": {"type": "boolean"}`, "question", "options"),
		response: choiceSchema, text: choiceText,
	},
	"Validation": {schema: schema.Object(`"message": `+longText, "message"), response: yesSchema, text: yesText},
	"Text": {
		schema: schema.Object(`"question": `+longText+`, "placeholder": {"type": "string", "maxLength": 500}`, "question"),
		response: func(moduleData) json.RawMessage {
			return json.RawMessage(`{"type":"string","minLength":1,"maxLength":100000}`)
		},
		text: func(_ moduleData, value any, _ string) string { return fmt.Sprint(value) },
	},
	"Form": {
		schema: schema.Object(`"title": {"type": "string", "maxLength": 500}, "schema": {"type": "object"}`, "schema"),
		check:  checkForm, response: formSchema, text: formText,
	},
	"Plan": {
		schema: schema.Object(
			`"title": {"type": "string", "maxLength": 500}, "steps": {"type": "array", "minItems": 1, "maxItems": 50, "items": `+longText+`}`,
			"steps",
		),
		response: yesSchema,
		text:     yesText,
	},
}

// Types are the types of modules, sorted.
func Types() []string { return slices.Sorted(maps.Keys(kinds)) }

// DataSchema is the JSON Schema of the data of a type of modules.
func DataSchema(moduleType string) json.RawMessage { return kinds[moduleType].schema }

// moduleSchemas caches the schemas of modules and of the answers to them.
var moduleSchemas data.Schemas

// Check reports whether a module can be shown. Its code is unknown_module for a type that does not
// exist.
func Check(m *domain.Module) error {
	kind, ok := kinds[m.Type]
	if !ok {
		return &domain.Error{Code: CodeUnknown, Message: fmt.Sprintf("There is no communication module %s. There are: %s.",
			jsonbody.Quote(m.Type), strings.Join(Types(), ", ")),
			Fields: []domain.FieldError{{Pointer: "/type", Code: "unknown", Message: "This type of module does not exist."}}}
	}
	data := m.Data
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if err := moduleSchemas.Check(kind.schema, data, "/data"); err != nil {
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
	kind, ok := kinds[m.Type]
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
	if err := moduleSchemas.Check(ResponseSchema(m), value, "/value"); err != nil {
		return err
	}
	return nil
}

// ResponseText is the answer in words of the workspace's language, as the AI and the
// person read it.
func ResponseText(m *domain.Module, value json.RawMessage, language string) string {
	kind, ok := kinds[m.Type]
	answer, err := jsonbody.Value(value)
	if !ok || err != nil {
		return string(value)
	}
	data, err := readModule(m.Data)
	if err != nil {
		return string(value)
	}
	return kind.text(data, answer, language)
}

func yesSchema(moduleData) json.RawMessage { return json.RawMessage(`{"type":"boolean"}`) }

func yesText(_ moduleData, value any, language string) string {
	settings := domain.Settings{Language: language}
	if value == true {
		return settings.Say("Yes", "Oui")
	}
	return settings.Say("No", "Non")
}

func choiceSchema(d moduleData) json.RawMessage {
	one := fmt.Sprintf(`{"type":"string","enum":%s}`, jsonbody.Encode(d.Options))
	if d.AllowOther {
		one = `{"type":"string","minLength":1,"maxLength":10000}`
	}
	if !d.Multiple {
		return json.RawMessage(one)
	}
	return json.RawMessage(`{"type":"array","minItems":1,"maxItems":50,"uniqueItems":true,"items":` + one + `}`)
}

func choiceText(_ moduleData, value any, _ string) string {
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
