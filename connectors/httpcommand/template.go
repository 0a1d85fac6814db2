package httpcommand

import (
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// placeholder matches {name} in a template. Other braces are literal.
var placeholder = regexp.MustCompile(`\{([A-Za-z_][A-Za-z0-9_.-]*)\}`)

// named lists the parameters of a template.
func named(template string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(template, -1) {
		names = append(names, m[1])
	}
	return names
}

// params are the parameters of a call. Those not used by a template are sent in the query or the
// body.
type params struct {
	values map[string]any
	used   map[string]bool
}

func readParams(raw json.RawMessage) (*params, error) {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	value, err := jsonbody.Value(raw)
	values, ok := value.(map[string]any)
	if err != nil || !ok {
		return nil, fmt.Errorf("the params are not a JSON object")
	}
	return &params{values: values, used: map[string]bool{}}, nil
}

// text returns a parameter as text.
func (p *params) text(name string) (text string, given bool, err error) {
	p.used[name] = true
	switch v := p.values[name].(type) {
	case nil:
		return "", false, nil
	case string:
		return v, true, nil
	case bool:
		return fmt.Sprint(v), true, nil
	case json.Number:
		return v.String(), true, nil
	default:
		return "", true, fmt.Errorf("the param %s is not a string, number or boolean, and cannot be used there", name)
	}
}

// fill replaces each placeholder with its parameter. whole is true if none was missing.
func (p *params) fill(template string, escape func(string) string) (text string, whole bool, err error) {
	whole = true
	text = placeholder.ReplaceAllStringFunc(template, func(found string) string {
		value, given, wrong := p.text(found[1 : len(found)-1])
		if wrong != nil && err == nil {
			err = wrong
		}
		whole = whole && given
		return escape(value)
	})
	return text, whole, err
}

// path fills the template of a path. A parameter stays within its segment: separators are escaped,
// and a segment that would change the path is rejected.
func (p *params) path(template string) (string, error) {
	segments := strings.Split(template, "/")
	for i, segment := range segments {
		filled, whole, err := p.fill(segment, url.PathEscape)
		switch {
		case err != nil:
			return "", err
		case !whole:
			return "", fmt.Errorf("the param %s is missing", missing(p, segment))
		}
		plain, err := url.PathUnescape(filled)
		if err != nil {
			return "", fmt.Errorf("the path %q cannot be sent", template)
		}
		if named(segment) != nil && (plain == "" || plain == "." || plain == "..") {
			return "", fmt.Errorf("the param %s cannot be %q: it would change the path", named(segment)[0], plain)
		}
		segments[i] = filled
	}
	return strings.Join(segments, "/"), nil
}

func missing(p *params, template string) string {
	for _, name := range named(template) {
		if p.values[name] == nil {
			return name
		}
	}
	return ""
}

// query fills the templates of a query. One with a missing parameter is left out; a list repeats
// its name.
func (p *params) query(templates map[string]string) (url.Values, error) {
	out := url.Values{}
	for name, template := range templates {
		if alone := placeholder.FindString(template); alone == template && template != "" {
			param := template[1 : len(template)-1]
			p.used[param] = true
			if err := addQuery(out, name, p.values[param]); err != nil {
				return nil, err
			}
			continue
		}
		text, whole, err := p.fill(template, func(s string) string { return s })
		if err != nil {
			return nil, err
		}
		if whole {
			out.Set(name, text)
		}
	}
	return out, nil
}

// addQuery adds a value of any type: lists repeat the name, objects are encoded as JSON.
func addQuery(out url.Values, name string, value any) error {
	switch v := value.(type) {
	case nil:
	case []any:
		for _, item := range v {
			if err := addQuery(out, name, item); err != nil {
				return err
			}
		}
	case map[string]any:
		text, err := json.Marshal(v)
		if err != nil {
			return fmt.Errorf("encode %s: %w", name, err)
		}
		out.Add(name, string(text))
	default:
		out.Add(name, fmt.Sprint(v))
	}
	return nil
}

// header fills the template of a header value. Line breaks are rejected.
func (p *params) header(name, template string) (value string, whole bool, err error) {
	value, whole, err = p.fill(template, func(s string) string { return s })
	if err != nil {
		return "", false, err
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		return "", false, fmt.Errorf("the value of the header %s has a line break or another control character", name)
	}
	return value, whole, nil
}

// body fills the strings of a template. A string that consists of a placeholder is replaced with
// the parameter's value. Members and items with a missing parameter are left out.
func (p *params) body(template any) (value any, whole bool, err error) {
	switch v := template.(type) {
	case string:
		if alone := placeholder.FindString(v); alone == v && v != "" {
			name := v[1 : len(v)-1]
			p.used[name] = true
			value, whole = p.values[name]
			return value, whole, nil
		}
		value, _, err = p.fill(v, func(s string) string { return s })
		return value, true, err
	case map[string]any:
		out := map[string]any{}
		for name, inner := range v {
			filled, given, err := p.body(inner)
			if err != nil {
				return nil, false, err
			}
			if given {
				out[name] = filled
			}
		}
		return out, true, nil
	case []any:
		out := []any{}
		for _, inner := range v {
			filled, given, err := p.body(inner)
			if err != nil {
				return nil, false, err
			}
			if given {
				out = append(out, filled)
			}
		}
		return out, true, nil
	}
	return template, true, nil
}

// rest returns the parameters that no template uses.
func (p *params) rest() map[string]any {
	out := map[string]any{}
	for name, value := range p.values {
		if !p.used[name] {
			out[name] = value
		}
	}
	return out
}

// namedIn lists the parameters of a body template, in order.
func namedIn(template any) []string {
	var names []string
	switch v := template.(type) {
	case string:
		names = named(v)
	case map[string]any:
		for _, inner := range v {
			names = append(names, namedIn(inner)...)
		}
	case []any:
		for _, inner := range v {
			names = append(names, namedIn(inner)...)
		}
	}
	slices.Sort(names)
	return names
}
