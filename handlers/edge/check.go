package edge

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-playground/validator/v10"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
)

// checker validates request structs by their tags, which are generated from the contract. It is shared by all
// requests because it caches the rules of each struct.
var checker = newChecker()

func newChecker() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	v.RegisterTagNameFunc(func(f reflect.StructField) string {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return name
	})
	rules := map[string]func(string) bool{
		"visible": func(s string) bool { return strings.TrimSpace(s) != "" },
		"name":    visible.IsName,
		"object":  func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "{") },
	}
	for tag, pattern := range api.Patterns {
		rules[tag] = regexp.MustCompile(pattern).MatchString
	}
	for tag, rule := range rules {
		// The tags are constants, so registering them cannot fail.
		_ = v.RegisterValidation(tag, func(f validator.FieldLevel) bool { return rule(textOf(f.Field())) })
	}
	return v
}

// textOf reads a string, or raw JSON as text.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Slice {
		return string(v.Bytes())
	}
	return v.String()
}

// BrokenRules holds a request struct to its tags.
func BrokenRules(dst any) []jsonbody.Mistake {
	wrong, broken := errors.AsType[validator.ValidationErrors](checker.Struct(dst))
	if !broken {
		return nil // dst is a pointer to a struct, so there is no other error
	}
	var mistakes jsonbody.Mistakes
	for _, w := range wrong {
		if mistakes.Full() {
			break
		}
		if !underNull(w.Namespace()) {
			mistakes.AddAt(pointerOf(w.Namespace()), codeOf(w.Tag()), messageOf(w))
		}
	}
	return mistakes.List
}

// underNull says whether a rule was broken by the empty value behind a null: a
// nullable.Nullable is a map, which keeps it under the key false.
func underNull(namespace string) bool {
	for part := range strings.SplitSeq(namespace, ".") {
		name, index, _ := strings.Cut(part, "[")
		if index == "false]" && name != mapField {
			return true
		}
	}
	return false
}

// mapField is the only field of a request whose keys are the client's own.
const mapField = "edits"

// pointerOf turns "NewEntries.entries[3].data" into "/entries/3/data". The value of a
// nullable field has a key in the path, which no client knows.
func pointerOf(namespace string) string {
	var out strings.Builder
	for i, part := range strings.Split(namespace, ".") {
		name, rest, indexed := strings.Cut(part, "[")
		if i == 0 || name == "" || embedded(name) {
			continue
		}
		out.WriteString("/" + jsonbody.Part(name))
		if !indexed {
			continue
		}
		indexes := []string{strings.TrimSuffix(rest, "]")}
		if name != mapField {
			indexes = strings.Split(indexes[0], "][") // an item of a nullable list: delays[true][0]
		}
		for _, index := range indexes {
			if index != "true" || name == mapField {
				out.WriteString("/" + jsonbody.Part(index))
			}
		}
	}
	return out.String()
}

// embedded: a struct within a struct, whose fields JSON has one level higher. It goes by its
// type; the fields that clients know begin with a small letter.
func embedded(name string) bool { return unicode.IsUpper(rune(name[0])) }

// codeOf is the stable name of a broken rule.
func codeOf(tag string) string {
	switch tag {
	case "required", "visible":
		return "required"
	case "min", "gt", "gte":
		return "too_small"
	case "max", "lte":
		return "too_large"
	case "oneof":
		return "not_allowed"
	default:
		return "wrong_format"
	}
}

// messageOf says a broken rule in words.
func messageOf(w validator.FieldError) string {
	unit := map[reflect.Kind]string{reflect.String: " characters", reflect.Slice: " items", reflect.Map: " items"}[w.Kind()]
	switch w.Tag() {
	case "required":
		return "This is needed."
	case "visible":
		return "This must not be empty."
	case "min", "gte":
		return fmt.Sprintf("This must be at least %s%s.", w.Param(), unit)
	case "gt":
		return fmt.Sprintf("This must be more than %s.", w.Param())
	case "max", "lte":
		return fmt.Sprintf("This must be at most %s%s.", w.Param(), unit)
	case "oneof":
		return "This must be one of: " + strings.ReplaceAll(w.Param(), " ", ", ") + "."
	case "key":
		return "This takes lower-case letters, digits, points, dashes and underscores, 100 at most, and begins with a letter or digit."
	case "type_id":
		return "This takes lower-case letters, digits, dashes and underscores, 63 at most, and begins with a letter."
	case "connector_prefix":
		return "This takes upper-case letters and digits, 20 at most, and begins with a letter: GITHUB."
	case "command_name":
		return "This takes upper-case letters, digits and underscores, 43 at most, and begins with a letter: CREATE_ISSUE."
	case "agent":
		return "This takes letters, digits and underscores, 40 at most, and begins with a letter."
	case "workspace":
		return "This takes lower-case letters, digits and dashes, 63 at most."
	case "name":
		return "A name is one line, without control characters or invisible characters."
	case "object":
		return "This must be an object."
	default:
		return "This value cannot be used."
	}
}
