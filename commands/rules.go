package commands

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// Bounds of what people and models may store.
const (
	maxName        = 200     // characters
	maxDescription = 10_000  // characters
	maxBody        = 200_000 // characters of a document
	maxConfig      = 64 << 10
	maxEntryData   = 512 << 10
	maxBatch       = 500
)

func checkName(pointer, name string) error {
	if strings.TrimSpace(name) == "" {
		return domain.Invalid(pointer, "required", "A name is required.")
	}
	if !domain.IsName(name) && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return domain.Invalid(pointer, "format", "A name is one line, without control characters or characters that nobody sees.")
	}
	return checkText(pointer, name, maxName)
}

func checkNamed(name, description string) error {
	return firstError(checkName("/name", name), checkText("/description", description, maxDescription))
}

// checkText refuses what no database keeps, and texts that are too long.
func checkText(pointer, text string, most int) error {
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return domain.Invalid(pointer, "format", "A text holds no NUL and is valid UTF-8.")
	}
	if n := utf8.RuneCountInString(text); n > most {
		return domain.Invalid(pointer, "max_length", "This has %d characters; at most %d are allowed.", n, most)
	}
	return nil
}

// checkVersion refuses a change of a record that is not what its author saw.
func checkVersion(expected *int64, present int64) error {
	if expected != nil && *expected != present {
		return domain.Errorf(domain.CodeConflict, "It was changed meanwhile: it is version %d now, not %d. Read it again, then repeat the change.", present, *expected)
	}
	return nil
}

// set replaces a value where a change gives a new one, and says whether it did.
func set[T comparable](value *T, change *T) bool {
	if change == nil || *value == *change {
		return false
	}
	*value = *change
	return true
}

// merged applies a merge patch (RFC 7396): null removes a field, an object is merged,
// everything else replaces.
func merged(pointer string, present, patch json.RawMessage) (json.RawMessage, error) {
	if len(present) == 0 {
		present = json.RawMessage("{}")
	}
	old, err := parseJSON(present)
	if err != nil {
		return nil, fmt.Errorf("read what is stored: %w", err)
	}
	change, err := parseJSON(patch)
	if err != nil {
		return nil, unreadJSON(pointer, "This is", err)
	}
	if _, ok := change.(map[string]any); !ok {
		return nil, domain.Invalid(pointer, "type", "This must be an object.")
	}
	return encode(mergePatch(old, change)), nil
}

func mergePatch(old, change any) any {
	fields, ok := change.(map[string]any)
	if !ok {
		return change
	}
	result, ok := old.(map[string]any)
	if !ok {
		result = map[string]any{}
	}
	for name, value := range fields {
		if value == nil {
			delete(result, name)
			continue
		}
		result[name] = mergePatch(result[name], value)
	}
	return result
}

// normal reads an object that a client or model gave and gives its canonical form.
func normal(pointer string, raw json.RawMessage, most int) (json.RawMessage, error) {
	if len(raw) > most {
		return nil, domain.Invalid(pointer, "too_large", "This has %d bytes; at most %d are allowed.", len(raw), most)
	}
	value, err := parseJSON(raw)
	if err != nil {
		return nil, unreadJSON(pointer, "This is", err)
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, domain.Invalid(pointer, "type", "This must be an object.")
	}
	return encode(value), nil
}

// zone finds a zone; the error for an unknown id lists the zones there are, because
// the AI often knows a zone by its name only.
func (c *call) zone(ctx context.Context, pointer, id string) (*domain.Zone, error) {
	return findZone(ctx, c.data, pointer, id)
}

func findZone(ctx context.Context, data ZoneData, pointer, id string) (*domain.Zone, error) {
	zone, err := data.Zone(ctx, id)
	if err == nil {
		return zone, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the zone: %w", err)
	}
	zones, err := data.Zones(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the zones: %w", err)
	}
	known := make([]string, len(zones))
	for i, z := range zones {
		known[i] = z.ID + " (" + z.Name + ")"
	}
	return nil, missing(pointer, "zone", id, known)
}

func (c *call) tool(ctx context.Context, pointer, id string) (*domain.Tool, error) {
	return findTool(ctx, c.data, pointer, id)
}

func findTool(ctx context.Context, data ToolData, pointer, id string) (*domain.Tool, error) {
	tool, err := data.Tool(ctx, id)
	if err == nil {
		return tool, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the tool: %w", err)
	}
	tools, err := data.Tools(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	known := make([]string, len(tools))
	for i, t := range tools {
		known[i] = t.ID + " (" + t.Name + ")"
	}
	return nil, missing(pointer, "tool", id, known)
}

// missing is the not_found error that helps: it names what there is.
func missing(pointer, noun, id string, known []string) *domain.Error {
	const most = 50
	message := fmt.Sprintf("There is no %s with the id %s.", noun, quoted(id))
	field := domain.FieldError{Pointer: pointer, Code: "unknown", Message: message}
	switch n := len(known); {
	case n == 0:
		message += fmt.Sprintf(" There is no %s at all yet.", noun)
	case n > most:
		message += fmt.Sprintf(" The first %d of %d: %s.", most, n, strings.Join(known[:most], ", "))
	default:
		message += " There are: " + strings.Join(known, ", ") + "."
	}
	return &domain.Error{Code: domain.CodeNotFound, Message: message, Fields: []domain.FieldError{field}}
}
