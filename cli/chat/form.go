package chat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// formField is one field of a Form.
type formField struct {
	name, title, kind string
	required          bool
	options           []any
}

// skip is the input that leaves a field of a form empty.
const skip = "-"

func (f formField) ask() string {
	text := f.title
	if len(f.options) > 0 {
		parts := make([]string, len(f.options))
		for i, option := range f.options {
			parts[i] = fmt.Sprintf("%d %v", i+1, option)
		}
		text += " (" + strings.Join(parts, ", ") + ")"
	} else if f.kind == "boolean" {
		text += " [y / n]"
	}
	if !f.required {
		text += " (" + skip + " for none)"
	}
	return text + ":"
}

func (f formField) read(text string) (value any, problem string) {
	if text == skip && !f.required {
		return nil, ""
	}
	if len(f.options) > 0 {
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(f.options) {
			return f.options[n-1], ""
		}
		return nil, "Please enter one of the numbers."
	}
	switch f.kind {
	case "boolean":
		yes, no, _ := yesNo(text)
		if !yes && !no {
			return nil, "Please enter y or n."
		}
		return yes, ""
	case "number", "integer":
		n, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64)
		if err != nil {
			return nil, "Please enter a number."
		}
		return n, ""
	}
	return text, ""
}

// formFields reads the fields of a Form, in the order of its schema.
func formFields(data json.RawMessage) []formField {
	var form struct {
		Schema struct {
			Properties json.RawMessage `json:"properties"`
			Required   []string        `json:"required"`
		} `json:"schema"`
	}
	if json.Unmarshal(data, &form) != nil {
		return nil
	}
	var fields []formField
	decoder := json.NewDecoder(bytes.NewReader(form.Schema.Properties))
	if _, err := decoder.Token(); err != nil {
		return nil
	}
	for decoder.More() {
		name, err := decoder.Token()
		var property struct {
			Title string `json:"title"`
			Type  any    `json:"type"`
			Enum  []any  `json:"enum"`
		}
		if err != nil || decoder.Decode(&property) != nil {
			return fields
		}
		kind, _ := property.Type.(string)
		key := fmt.Sprint(name)
		fields = append(fields, formField{
			name: key, title: cmp.Or(property.Title, key), kind: kind,
			required: slices.Contains(form.Schema.Required, key), options: property.Enum,
		})
	}
	return fields
}

// choice is the data of a MultipleChoice.
type choice struct {
	Options    []string `json:"options"`
	Multiple   bool     `json:"multiple"`
	AllowOther bool     `json:"allow_other"`
}

func choiceOf(data json.RawMessage) choice {
	var c choice
	_ = json.Unmarshal(data, &c) // validated by the server
	return c
}

func (c choice) read(text string) (value any, problem string) {
	var picked []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > len(c.Options) {
			picked = nil
			break
		}
		picked = append(picked, c.Options[n-1])
	}
	if i := slices.IndexFunc(c.Options, func(o string) bool { return strings.EqualFold(o, text) }); i >= 0 {
		picked = []string{c.Options[i]}
	}
	switch {
	case len(picked) == 0 && c.AllowOther:
		picked = []string{text}
	case len(picked) == 0, len(picked) > 1 && !c.Multiple:
		return nil, fmt.Sprintf("Please enter a number from 1 to %d.", len(c.Options))
	}
	if c.Multiple {
		return picked, ""
	}
	return picked[0], ""
}

// yesNo parses yes, or no followed by a comment, in English or French.
func yesNo(text string) (yes, no bool, rest string) {
	first, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(strings.TrimRight(first, ",:;.!")) {
	case "y", "yes", "o", "oui":
		return rest == "", false, rest // "yes, if ..." is not an approval
	case "n", "no", "non":
		return false, true, rest
	}
	return false, false, ""
}
