package modules

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

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
		field, at := form.Properties[name], "/data/schema/properties/"+jsonbody.Part(name)
		switch field.Type {
		case "string", "number", "integer", "boolean":
		case "array":
			var item flatField
			if json.Unmarshal(field.Items, &item) != nil || item.Type != "string" {
				return domain.Invalid(at, "flat", "The field %s is a list: its items must be texts.", jsonbody.Quote(name))
			}
		default:
			return domain.Invalid(
				at,
				"flat",
				"The field %s must be a string, number, integer, boolean or a list of strings: a form is flat.",
				jsonbody.Quote(name),
			)
		}
	}
	if err := checkPlain(data); err != nil {
		return err
	}
	for _, name := range form.Required {
		if _, ok := form.Properties[name]; !ok {
			return domain.Invalid(
				"/data/schema/required",
				"unknown",
				"The required field %s is not among the properties.",
				jsonbody.Quote(name),
			)
		}
	}
	d, err := readModule(data)
	if err != nil {
		return err
	}
	if err := moduleSchemas.Compile(formSchema(d)); err != nil {
		return domain.Invalid("/data/schema", "schema", "The form's schema cannot be used: %v.", err)
	}
	return nil
}

// formSchema is the form's own schema, closed: an answer has no other fields.
func formSchema(d moduleData) json.RawMessage {
	value, err := jsonbody.Value(d.Schema)
	fields, ok := value.(map[string]any)
	if err != nil || !ok {
		return json.RawMessage("false")
	}
	fields["additionalProperties"] = false
	return jsonbody.Encode(fields)
}

func formText(d moduleData, value any, language string) string {
	answers, ok := value.(map[string]any)
	if !ok {
		return string(jsonbody.Encode(value))
	}
	var form flatForm
	if json.Unmarshal(d.Schema, &form) != nil {
		return string(jsonbody.Encode(value))
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(answers)) {
		label := name
		if title := form.Properties[name].Title; title != "" {
			label = title + " (" + name + ")"
		}
		text, isText := answers[name].(string)
		switch _, isBool := answers[name].(bool); {
		case isBool:
			text = yesText(d, answers[name], language)
		case !isText:
			text = string(jsonbody.Encode(answers[name]))
		}
		lines = append(lines, label+": "+text)
	}
	return strings.Join(lines, "\n")
}

// notFlat are the keywords by which a schema refers elsewhere, or nests objects: clients that render a
// form do not support them.
var notFlat = []string{"$ref", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "allOf", "not", "if", "then", "else",
	"patternProperties", "dependentSchemas", "dependencies", "propertyNames", "unevaluatedProperties"}

// checkPlain refuses what is not flat in the form's schema, in its fields and in the
// items of those that are lists.
func checkPlain(raw json.RawMessage) error {
	value, err := jsonbody.Value(raw)
	if err != nil {
		return data.Unread("/data", "This is", err)
	}
	fields, _ := value.(map[string]any)
	schema, _ := fields["schema"].(map[string]any)
	if err := plain(schema, "/data/schema", false); err != nil {
		return err
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		at := "/data/schema/properties/" + jsonbody.Part(name)
		field, _ := properties[name].(map[string]any)
		if err := plain(field, at, true); err != nil {
			return err
		}
		items, _ := field["items"].(map[string]any)
		if err := plain(items, at+"/items", true); err != nil {
			return err
		}
	}
	return nil
}

func plain(schema map[string]any, at string, field bool) error {
	for _, key := range slices.Sorted(maps.Keys(schema)) {
		alternatives := key == "anyOf" || key == "oneOf"
		switch {
		case slices.Contains(notFlat, key), field && key == "properties", alternatives && !(field && constants(schema[key])):
			return domain.Invalid(at+"/"+jsonbody.Part(key), "flat", "A form is flat: %s cannot be used here.", jsonbody.Quote(key))
		}
	}
	return nil
}

// constants: the alternatives are single values with a title, the way to label the
// choices of a field.
func constants(value any) bool {
	list, ok := value.([]any)
	return ok && !slices.ContainsFunc(list, func(one any) bool {
		schema, ok := one.(map[string]any)
		_, fixed := schema["const"]
		return !ok || !fixed
	})
}
