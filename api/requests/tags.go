package main

import (
	"fmt"
	"strconv"
	"strings"
)

// fieldRules are what is known of one field.
type fieldRules struct {
	g        *generator
	at, name string // "NewZone.name", "name"
	schema   *schema
	kind     string // its Go type
	required bool
	// unbounded: the value has no limit. No request may have such a part.
	unbounded bool
}

// fieldType is the type of the field in its struct. A pointer distinguishes an absent value from
// an empty one; lists, maps and raw JSON need none.
func (f *fieldRules) fieldType() string {
	switch {
	case f.schema.nullable:
		return "nullable.Nullable[" + f.kind + "]"
	case f.pointer():
		return "*" + f.kind
	}
	return f.kind
}

func (f *fieldRules) pointer() bool {
	if strings.HasPrefix(f.kind, "[]") || strings.HasPrefix(f.kind, "map[") || f.kind == "json.RawMessage" {
		return false
	}
	return !f.required || !f.emptyIsInvalid()
}

// emptyIsInvalid reports whether the empty value of a required field breaks another rule, so that its absence needs no
// check.
func (f *fieldRules) emptyIsInvalid() bool {
	s := f.schema
	switch {
	case len(s.Types) > 0 && s.Types[0] == "string":
		return s.MinLength > 0 || len(s.values()) > 0 || s.Pattern != ""
	case s.Minimum != nil:
		return *s.Minimum > 0
	}
	return len(s.Required) > 0
}

// tag are the rules of the field, in the validator's language.
func (f *fieldRules) tag() string {
	rules := f.rules(f.schema, f.kind)
	switch isStruct := f.g.structs[f.kind] != ""; {
	case f.schema.nullable && (isStruct || len(rules) > 0):
		rules = append([]string{"omitempty", "dive"}, rules...)
	case f.required && f.demanded():
		rules = append([]string{"required"}, rules...)
	case !f.required && len(rules) > 0 && (f.pointer() || f.kind == "json.RawMessage" || f.schema.MinItems > 0):
		rules = append([]string{"omitempty"}, rules...)
	}
	return strings.Join(rules, ",")
}

// demanded says whether the tag must say that a required field is needed: not where
// another rule does.
func (f *fieldRules) demanded() bool {
	switch {
	case shown[f.at]:
		return false
	case f.pointer(), f.kind == "json.RawMessage", strings.HasPrefix(f.kind, "[]"):
		return !counted[f.at]
	}
	return f.kind == "string" && !f.isVisible()
}

func (f *fieldRules) isVisible() bool {
	return visible[f.name] || f.name == "name" && f.schema.MinLength > 0
}

// rules are those of a value.
func (f *fieldRules) rules(s *schema, kind string) []string {
	switch {
	case kind == "domain.Duration":
		return []string{"min=0"}
	case kind == "time.Time", kind == "bool":
		return nil
	case kind == "json.RawMessage":
		if len(s.Types) > 0 {
			return []string{"object"}
		}
		return nil
	case kind == "string":
		return f.textRules(s)
	case kind == "int", kind == "int64", kind == "float64":
		return numberRules(s)
	case strings.HasPrefix(kind, "[]"):
		return f.listRules(s, strings.TrimPrefix(kind, "[]"))
	case strings.HasPrefix(kind, "map[string]"):
		return f.mapRules(s, strings.TrimPrefix(kind, "map[string]"))
	}
	return nil // a struct: its own fields have rules
}

func (f *fieldRules) textRules(s *schema) []string {
	var out, values []string
	for _, v := range s.values() {
		if v != nil {
			values = append(values, fmt.Sprint(v))
		}
	}
	if len(values) > 0 {
		return []string{"oneof=" + strings.Join(values, " ")}
	}
	if tag := patterns[f.at]; tag != "" {
		f.g.patterns[tag] = s.Pattern
		return []string{tag}
	}
	if f.isVisible() {
		out = append(out, "visible")
	} else if s.MinLength > 0 && (!f.required || s != f.schema) {
		out = append(out, "min="+strconv.Itoa(s.MinLength))
	}
	if oneLine[f.name] {
		out = append(out, "name")
	}
	return append(out, f.most(s.MaxLength))
}

// most is the rule for the greatest length.
func (f *fieldRules) most(n int) string {
	f.unbounded = f.unbounded || n == 0
	return "max=" + strconv.Itoa(n)
}

func numberRules(s *schema) []string {
	var out []string
	for _, bound := range []struct {
		tag   string
		value *float64
	}{{"gt", s.ExclusiveMinimum}, {"min", s.Minimum}, {"max", s.Maximum}} {
		if bound.value != nil {
			out = append(out, bound.tag+"="+strconv.FormatFloat(*bound.value, 'f', -1, 64))
		}
	}
	return out
}

func (f *fieldRules) listRules(s *schema, item string) []string {
	var out []string
	if s.MinItems > 0 && !emptied[f.at] {
		out = append(out, "min="+strconv.Itoa(s.MinItems))
	}
	items, _ := f.g.contract.resolve(s.Items)
	return append(append(out, f.most(s.MaxItems), "dive"), f.rules(items, item)...)
}

// mapRules bound an object of free names. Of its values only raw JSON is checked by a
// tag: the validator's paths use points as separators, and names may contain points.
func (f *fieldRules) mapRules(s *schema, item string) []string {
	out := []string{f.most(s.MaxProperties)}
	if item == "json.RawMessage" {
		return append(out, "dive", "object")
	}
	return out
}
