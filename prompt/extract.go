package prompt

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kaptinlin/jsonrepair"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

const (
	// maxCandidates bounds the braces examined in prose.
	maxCandidates = 32
	// maxRepair bounds the total input of the repairer, in bytes: it is recursive, and its time is
	// quadratic.
	maxRepair = 24 << 10
)

const wantObject = "Answer with one JSON object and nothing else, like {\"pre_text\": \"…\"}."

// candidate is a part of the text that begins with a brace.
type candidate struct {
	text   string
	closed bool // its closing brace was found
}

// findObject finds the answer in a text: the first balanced object that parses. Minor errors (a
// trailing comma, single quotes) are repaired, but not a truncated text: half a list of deletions
// must not become an action.
func findObject(raw *domain.RawAnswer) (json.RawMessage, string) {
	text := raw.Text
	if len(text) > jsonbody.MaxAnswer {
		return nil, fmt.Sprintf("The answer is longer than %d bytes.", jsonbody.MaxAnswer)
	}
	found := candidates(text)
	var other json.RawMessage
	for _, c := range found {
		if !c.closed {
			continue
		}
		object, err := cleanJSON(c.text)
		if beyond(err) {
			return nil, "The answer is " + err.Error() + "."
		}
		if err != nil {
			continue
		}
		if looksLikeAnswer(object) {
			return object, ""
		}
		if other == nil {
			other = object
		}
	}
	if raw.Partial() {
		return nil, "Your answer " + Ended(raw) + ", before the JSON object was complete; nothing of it was run. Answer again, shorter."
	}
	if object := repaired(found); object != nil {
		return object, ""
	}
	return other, unreadable(found, other)
}

// unreadable explains why no object was found; "" if there is one, although an unexpected one.
func unreadable(found []candidate, other json.RawMessage) string {
	switch {
	case other != nil:
		return ""
	case len(found) == 0:
		return "There is no JSON object in the answer. " + wantObject
	case !found[len(found)-1].closed:
		return "The JSON object is not complete: a brace, bracket or quote is not closed. Nothing of it was run. " + wantObject
	}
	_, err := cleanJSON(found[0].text)
	return "The JSON object cannot be read (" + err.Error() + "). Nothing of it was run. " + wantObject
}

// beyond reports whether an error means that a limit was exceeded.
func beyond(err error) bool {
	unread, ok := errors.AsType[*jsonbody.Error](err)
	return ok && (unread.Reason == jsonbody.TooDeep || unread.Reason == jsonbody.TooLarge)
}

// repaired tries to repair an almost valid answer.
func repaired(found []candidate) json.RawMessage {
	left := maxRepair
	for _, c := range found {
		text := c.text
		if !c.closed {
			text, _, _ = strings.Cut(text, "\n```")
		}
		if len(text) > left || nesting(text) > jsonbody.MaxDepth || !strings.Contains(text, "pre_text") {
			continue
		}
		left -= len(text)
		object, err := cleanJSON(repair(text))
		if err != nil || !looksLikeAnswer(object) {
			continue
		}
		if !c.closed && acts(object) {
			continue
		}
		return object
	}
	return nil
}

// repair calls the repairer; "" if it fails or panics.
func repair(text string) (out string) {
	defer func() {
		if recover() != nil {
			out = ""
		}
	}()
	out, err := jsonrepair.Repair(text)
	if err != nil {
		return ""
	}
	return out
}

// acts reports whether an object would change something or end the session.
func acts(object json.RawMessage) bool {
	var a struct {
		Actions   json.RawMessage `json:"action_commands"`
		Completed json.RawMessage `json:"completed"`
	}
	return json.Unmarshal(object, &a) != nil || len(a.Actions) > 0 || len(a.Completed) > 0
}

// looksLikeAnswer reports whether an object has at least one field of an answer.
func looksLikeAnswer(object json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if !isObject(object) || json.Unmarshal(object, &fields) != nil {
		return false
	}
	return slices.ContainsFunc(answerFields, func(name string) bool {
		_, ok := fields[name]
		return ok
	})
}

// candidates lists the parts of a text that begin with a brace: each up to its closing brace, the
// last one possibly up to the end of the text.
func candidates(text string) []candidate {
	var found []candidate
	for at := 0; len(found) < maxCandidates; {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		open += at
		end := closing(text[open:])
		if end < 0 {
			return append(found, candidate{text: text[open:]})
		}
		found = append(found, candidate{text: text[open : open+end], closed: true})
		at = open + end
	}
	return found
}

// closing returns the end of the object at the beginning of a text; -1 if it is not closed.
func closing(text string) int {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// nesting counts brackets, including those in strings, whose quotes may be broken: it bounds the
// repairer's recursion.
func nesting(text string) int {
	depth, deepest := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '(':
			depth++
			deepest = max(deepest, depth)
		case '}', ']', ')':
			depth--
		}
	}
	return deepest
}
