package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Error is the result of a failed validation: at least one mistake, by pointer. Message describes the first one
// and its position.
type Error struct {
	Message  string
	Mistakes []jsonbody.Mistake
}

func (e *Error) Error() string { return e.Message }

// single is the error for a value, or a schema, that could not be validated at all.
func single(m jsonbody.Mistake) *Error {
	return &Error{Message: m.Message, Mistakes: []jsonbody.Mistake{m}}
}

// mistakesOf describes the errors of a validation.
func mistakesOf(wrong *jsonschema.ValidationError, prefix string) *Error {
	leaves := collect(wrong, nil)
	slices.SortStableFunc(leaves, func(a, b *jsonschema.ValidationError) int {
		return slices.Compare(a.InstanceLocation, b.InstanceLocation)
	})
	var found jsonbody.Mistakes
	for _, e := range leaves {
		if found.Full() {
			break // the rest is omitted
		}
		for _, m := range mistakes(prefix+pointer(e.InstanceLocation), e) {
			found.AddAt(m.Pointer, m.Code, m.Message)
		}
	}
	if len(found.List) == 0 {
		found.AddAt(prefix, "invalid", "The value does not match its schema.")
	}
	slices.SortStableFunc(found.List, func(a, b jsonbody.Mistake) int { return strings.Compare(a.Pointer, b.Pointer) })
	first := found.List[0]
	message := first.Message
	if first.Pointer != "" {
		message = first.Pointer + ": " + message
	}
	return &Error{Message: message, Mistakes: slices.Compact(found.List)}
}

// collect finds the causes at the leaves. (The library's own flat list loses the causes behind a $ref.)
func collect(e *jsonschema.ValidationError, leaves []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains:
		leaves = append(leaves, e)
	default:
		if len(e.Causes) == 0 {
			leaves = append(leaves, e)
		}
	}
	for _, cause := range e.Causes {
		leaves = collect(cause, leaves)
	}
	return leaves
}

func pointer(tokens []string) string {
	var at jsonbody.Path
	for _, t := range tokens {
		at.Name(t)
	}
	return at.String()
}

func mistakes(pointer string, e *jsonschema.ValidationError) []jsonbody.Mistake {
	one := func(code, format string, args ...any) []jsonbody.Mistake {
		return []jsonbody.Mistake{{Pointer: pointer, Code: code, Message: fmt.Sprintf(format, args...)}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(pointer, k.Missing, "required", "%s is required.")
	case *kind.AdditionalProperties:
		return each(pointer, k.Properties, "unknown_field", "There is no field %s here.")
	case *kind.Type:
		return one("type", "This must be %s, not %s.", typeNames(k.Want), TypeName(k.Got))
	case *kind.Enum:
		return one("enum", "This must be one of %s.", listed(k.Want))
	case *kind.Minimum:
		return one("minimum", "This must be at least %s.", number(k.Want))
	case *kind.Maximum:
		return one("maximum", "This must be at most %s.", number(k.Want))
	case *kind.MinLength:
		return one("min_length", "This must have at least %d characters.", k.Want)
	case *kind.MaxLength:
		return one("max_length", "This must have at most %d characters.", k.Want)
	case *kind.MinItems:
		return one("min_items", "At least %d items are needed.", k.Want)
	case *kind.MaxItems:
		return one("max_items", "At most %d items are allowed.", k.Want)
	case *kind.Format:
		return one("format", "This is not a valid %s.", k.Want)
	}
	bare := *e
	bare.Causes = nil
	return one("invalid", "%s.", bare.BasicOutput().Error)
}

// each makes a mistake for each of several fields of an object.
func each(pointer string, names []string, code, format string) []jsonbody.Mistake {
	names = names[:min(len(names), jsonbody.MaxMistakes)]
	all := make([]jsonbody.Mistake, 0, len(names))
	for _, name := range names {
		at := pointer + "/" + jsonbody.Part(name)
		all = append(all, jsonbody.Mistake{Pointer: at, Code: code, Message: fmt.Sprintf(format, jsonbody.Quote(name))})
	}
	return all
}

func listed(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(jsonbody.Encode(v))
	}
	return strings.Join(texts, ", ")
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	return strings.TrimRight(r.FloatString(9), "0")
}

func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = TypeName(t)
	}
	return strings.Join(names, " or ")
}

// TypeName describes a JSON type.
func TypeName(t string) string {
	names := map[string]string{"string": "a text", "number": "a number (without quotes)", "integer": "a whole number (without quotes)",
		"boolean": "true or false", "object": "an object", "array": "a list", "null": "null"}
	if name, ok := names[t]; ok {
		return name
	}
	return t
}
