// Package card renders an approval as text: what would happen, to what, and why approval is required.
package card

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// Body is the text below the title, by lines. No content can imitate the card's own lines.
func Body(a *api.Approval) []string {
	var lines []string
	add := func(format string, args ...any) {
		lines = append(lines, strings.Split(api.Visible(fmt.Sprintf(format, args...)), "\n")...)
	}
	if a.Text != nil && *a.Text != "" {
		add("%s", *a.Text)
	}
	for i, action := range a.Actions {
		number := ""
		if len(a.Actions) > 1 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		add("%s%s", number, action.Text)
		for _, change := range Changes(action.Before, action.After) {
			add("   %s", strings.ReplaceAll(change, "\n", "\n      ")) // indented, unlike the card's own lines
		}
		for _, warning := range action.Warnings {
			add("   ! %s", warning)
		}
	}
	for _, line := range moduleLines(a.Module) {
		add("%s", line)
	}
	for _, reason := range a.Reasons {
		add("asked because: %s", reason.Text)
	}
	return lines
}

func moduleLines(m *api.Module) []string {
	if m == nil {
		return nil
	}
	var data struct {
		Question string   `json:"question"`
		Message  string   `json:"message"`
		Title    string   `json:"title"`
		Options  []string `json:"options"`
		Steps    []string `json:"steps"`
	}
	if json.Unmarshal(m.Data, &data) != nil {
		return []string{string(m.Data)}
	}
	var lines []string
	for _, text := range []string{data.Title, data.Question, data.Message} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	for i, text := range slices.Concat(data.Options, data.Steps) {
		lines = append(lines, fmt.Sprintf("%d. %s", i+1, text))
	}
	return lines
}

// Changes are the fields that differ, each as "name: before -> after".
func Changes(before, after json.RawMessage) []string {
	was, names := flatten(before)
	will, more := flatten(after)
	for _, name := range more {
		if _, known := was[name]; !known {
			names = append(names, name)
		}
	}
	var out []string
	for _, name := range names {
		old, had := was[name]
		now, has := will[name]
		switch {
		case old == now && had == has:
		case len(was) == 0:
			out = append(out, fmt.Sprintf("%s: %v", name, now))
		case len(will) == 0:
			out = append(out, fmt.Sprintf("%s: %v (goes)", name, old))
		case fmt.Sprint(old) == fmt.Sprint(now): // "7" becomes 7: the difference must be visible
			out = append(out, fmt.Sprintf("%s: %s -> %s", name, exact(old), exact(now)))
		default:
			out = append(out, fmt.Sprintf("%s: %s -> %s", name, orNothing(old, had), orNothing(now, has)))
		}
	}
	return out
}

// exact is a value in JSON.
func exact(value any) string {
	text, err := json.Marshal(value)
	if err != nil { // impossible: it was decoded from JSON
		return fmt.Sprint(value)
	}
	return string(text)
}

func orNothing(value any, there bool) string {
	if !there {
		return "nothing"
	}
	return fmt.Sprint(value)
}

// flatten maps the paths of an object to their values ("data.value": 7), with the paths in order.
func flatten(raw json.RawMessage) (values map[string]any, names []string) {
	values = map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if len(raw) == 0 || decoder.Decode(&value) != nil {
		return values, nil
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				walk(join(path, name), v[name])
			}
		case []any:
			for i, item := range v {
				walk(join(path, fmt.Sprint(i+1)), item)
			}
		case nil:
		default:
			values[path], names = v, append(names, path)
		}
	}
	walk("", value)
	return values, names
}

// join appends a name to a path. A name that contains the separator is quoted: two fields with one path
// would hide each other.
func join(path, name string) string {
	if name == "" || strings.ContainsAny(name, `."`) {
		name = strconv.Quote(name)
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
