package schema

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// maxSchemaParts bounds a schema. Validating a value costs at most its number of values (bounded by its reader)
// times the number of the schema's parts. Both are bounded because schemas come from people and models, and a
// validation cannot be interrupted: a few references that double each other would keep a processor busy for
// years.
const maxSchemaParts = 2_000

// unfolding walks a schema, following its references, and counts its parts.
type unfolding struct {
	root   any
	parts  int
	active []string
	at     jsonbody.Path
}

// unusable is why a schema cannot be used, with the position of the cause.
type unusable struct{ jsonbody.Mistake }

func (e *unusable) Error() string { return e.Message }

func (u *unfolding) fail(code, format string, args ...any) error {
	return &unusable{jsonbody.Mistake{Pointer: u.at.String(), Code: code, Message: fmt.Sprintf(format, args...)}}
}

// refused are keywords with references that this walk cannot follow.
var refused = []string{"$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"}

func (u *unfolding) walk(node any) error {
	if u.parts++; u.parts > maxSchemaParts {
		return u.fail(codeTooLarge, "the schema has more than %d parts, including its references", maxSchemaParts)
	}
	switch v := node.(type) {
	case []any:
		for i, inner := range v {
			u.at.Index(i)
			if err := u.walk(inner); err != nil {
				return err
			}
			u.at.Up()
		}
	case map[string]any:
		for _, name := range refused {
			if _, isText := v[name].(string); isText {
				return u.fail(codeNotSupported, "a schema must not use %s", name)
			}
		}
		if ref, ok := v["$ref"].(string); ok {
			if err := u.follow(ref); err != nil {
				return err
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) { // so that the same schema has the same error
			inner := v[name]
			if name == "$defs" || name == "definitions" {
				continue // counted at each reference
			}
			u.at.Name(name)
			if err := u.walk(inner); err != nil {
				return err
			}
			u.at.Up()
		}
	}
	return nil
}

func (u *unfolding) follow(ref string) error {
	u.at.Name("$ref")
	defer u.at.Up()
	if !strings.HasPrefix(ref, "#") {
		return u.fail(codeNotSupported, "a schema must not refer to other documents (%s)", shorten.Characters(ref, 100))
	}
	if slices.Contains(u.active, ref) || ref == "#" {
		return u.fail(codeRecursive, "the schema refers to itself (%s)", shorten.Characters(ref, 100))
	}
	target, err := Find(u.root, ref)
	if err != nil {
		return u.fail(codeInvalid, "%v", err)
	}
	u.active = append(u.active, ref)
	here := u.at
	u.at = pathOf(ref)
	err = u.walk(target)
	u.at, u.active = here, u.active[:len(u.active)-1]
	return err
}

// pathOf is the position of what a reference names.
func pathOf(ref string) (at jsonbody.Path) {
	for token := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
		at.Name(unescape(token))
	}
	return at
}

// unescape reads a part of a JSON pointer.
func unescape(token string) string { return strings.NewReplacer("~1", "/", "~0", "~").Replace(token) }

// Find returns the part of a schema that a $ref refers to: "#/" and a JSON pointer from the root.
func Find(root any, ref string) (any, error) {
	node := root
	missing := fmt.Errorf("the schema refers to %s, which does not exist", shorten.Characters(ref, 100))
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok || strings.Contains(path, "%") {
		return nil, missing
	}
	for token := range strings.SplitSeq(path, "/") {
		token = unescape(token)
		switch v := node.(type) {
		case map[string]any:
			node, ok = v[token]
		case []any:
			at, err := strconv.Atoi(token)
			if ok = err == nil && at >= 0 && at < len(v); ok {
				node = v[at]
			}
		default:
			ok = false
		}
		if !ok {
			return nil, missing
		}
	}
	return node, nil
}
