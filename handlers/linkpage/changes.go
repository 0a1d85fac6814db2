package linkpage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
)

// actionOf is a change as a person reads it: the values that differ, or, where nothing is
// known of what there is, those that are sent.
func actionOf(a *domain.ApprovalAction) Action {
	out := Action{Text: visible.Text(a.Text)}
	for _, w := range a.Warnings {
		out.Warnings = append(out.Warnings, visible.Text(w))
	}
	before, after := a.Before, a.After
	if none(before) && none(after) {
		after = a.Params
	}
	out.Changes = changes(before, after)
	return out
}

func none(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// changes are the values that differ, by their names in the order of the alphabet.
func changes(before, after json.RawMessage) []Change {
	was, is := flat(before), flat(after)
	names := map[string]bool{}
	for name := range was {
		names[name] = true
	}
	for name := range is {
		names[name] = true
	}
	var out []Change
	for _, name := range slices.Sorted(maps.Keys(names)) {
		old, had := was[name]
		now, has := is[name]
		if had == has && old == now {
			continue
		}
		before, after := said(old), said(now)
		if had == has && before == after { // "7" becomes 7: what differs has to look different
			before, after = string(jsonbody.Encode(old)), string(jsonbody.Encode(now))
		}
		out = append(out, Change{
			Name: visible.Text(spoken(name)), Before: visible.Text(before), After: visible.Text(after), Had: had, Has: has,
		})
	}
	return out
}

func said(value any) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// spoken returns the path of a value for people: "value" for data.value, "2 › due date" for
// entries.2.data.due_date. Names that only group values are left out.
func spoken(path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, between) {
		if part != "data" && part != "entries" && part != "" {
			parts = append(parts, strings.ReplaceAll(part, "_", " "))
		}
	}
	if len(parts) == 0 {
		return path
	}
	first, size := utf8.DecodeRuneInString(parts[0])
	parts[0] = string(unicode.ToUpper(first)) + parts[0][size:]
	return strings.Join(parts, " › ")
}

// between separates the names of a path. No name contains it: stored text has no NUL.
const between = "\x00"

// flat makes "7" of the value of an object's data, at its path.
func flat(raw json.RawMessage) map[string]any {
	values := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if none(raw) || decoder.Decode(&value) != nil {
		return values
	}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		under := func(name string) string {
			if path == "" {
				return name
			}
			return path + between + name
		}
		switch v := value.(type) {
		case map[string]any:
			for name, item := range v {
				walk(under(name), item)
			}
		case []any:
			for i, item := range v {
				walk(under(fmt.Sprint(i+1)), item)
			}
		case nil:
		default:
			values[path] = v
		}
	}
	walk("", value)
	return values
}
