package data

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/visible"
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

// Rules are the rules of the user's data. They work in the transaction of their caller: a change takes
// what was read there, merges the patch into it, validates it and writes it. One Rules serves a process;
// it caches compiled schemas.
type Rules struct{ schemas *Schemas }

// NewRules makes the rules.
func NewRules() *Rules { return &Rules{schemas: &Schemas{}} }

// Schemas are those that the rules use, for other checks of the same kind.
func (r *Rules) Schemas() *Schemas { return r.schemas }

func checkName(pointer, name string) error {
	if strings.TrimSpace(name) == "" {
		return domain.Invalid(pointer, "required", "A name is required.")
	}
	if !visible.IsName(name) && strings.IndexByte(name, 0) < 0 && utf8.ValidString(name) {
		return domain.Invalid(pointer, "format", "A name is one line, without control characters or characters that nobody sees.")
	}
	return CheckText(pointer, name, maxName)
}

func checkNamed(name, description string) error {
	return firstError(checkName("/name", name), CheckText("/description", description, maxDescription))
}

// CheckText refuses what no database keeps, and texts that are too long.
func CheckText(pointer, text string, most int) error {
	if strings.IndexByte(text, 0) >= 0 || !utf8.ValidString(text) {
		return domain.Invalid(pointer, "format", "A text holds no NUL and is valid UTF-8.")
	}
	if n := utf8.RuneCountInString(text); n > most {
		return domain.Invalid(pointer, "max_length", "This has %d characters; at most %d are allowed.", n, most)
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkPatched rejects a value of a patch that is no object; nil is none.
func checkPatched(pointer string, value json.RawMessage) error {
	if value == nil {
		return nil
	}
	_, err := asObject(pointer, value)
	return err
}

// Normal reads an object of a client or model, limited in bytes, and returns its canonical form.
func Normal(pointer string, raw json.RawMessage, most int) (json.RawMessage, error) {
	if len(raw) > most {
		return nil, domain.Invalid(pointer, "too_large", "This has %d bytes; at most %d are allowed.", len(raw), most)
	}
	value, err := asObject(pointer, raw)
	if err != nil {
		return nil, err
	}
	return jsonbody.Encode(value), nil
}

func asObject(pointer string, raw json.RawMessage) (any, error) {
	value, err := jsonbody.Value(raw)
	if err != nil {
		return nil, Unread(pointer, "This is", err)
	}
	if _, ok := value.(map[string]any); !ok {
		return nil, domain.Invalid(pointer, "type", "This must be an object.")
	}
	return value, nil
}

// changedMeanwhile turns a failed guard into an error that describes what to do.
func changedMeanwhile(err error, doing string) error {
	if errors.Is(err, domain.ErrStale) {
		message := "It was changed meanwhile by somebody else. Read it again, then repeat the change."
		return &domain.Error{Code: domain.CodeConflict, Message: message, Err: err}
	}
	return fmt.Errorf("%s: %w", doing, err)
}
