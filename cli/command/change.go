package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"reflect"

	"github.com/fermata-dev/fermata/cli/remote"
)

// Changed selects the file with the fields to change.
type Changed struct {
	Definition string `arg:"" optional:"" name:"file" help:"Same as --file."`
	From       string `name:"file" short:"f" placeholder:"FILE" help:"Fields to change, in YAML or JSON; null removes a value. A file for 'add' works too. - reads the standard input."`
}

// file returns the file, from the argument or the flag.
func (c *Changed) file() (string, error) {
	if (c.Definition == "") == (c.From == "") {
		return "", Misused(errors.New("name one file with the fields to change: -f FILE, or -f - for the standard input"))
	}
	return c.Definition + c.From, nil
}

// ChangeFrom applies a file to a resource and displays the result. A file without differences changes
// nothing.
func ChangeFrom[T any](
	cc *Context, c *remote.Client, output string, said *Changed, path string, now *T, show func(cc *Context, output string, one *T) error,
) error {
	file, err := said.file()
	if err != nil {
		return err
	}
	ask, err := ReadDefinition(cc, file)
	if err != nil {
		return err
	}
	if len(ask) == 0 {
		return Misused(ErrEmptyDefinition)
	}
	if ask, err = Differing(ask, now); err != nil {
		return err
	}
	if len(ask) > 0 {
		now = new(T)
		if err := c.Call(cc, http.MethodPatch, path, ask, now); err != nil {
			return err
		}
	}
	return show(cc, output, now)
}

// Differing returns the fields of a definition that differ from the resource: a file for 'add' also has
// fields that cannot be changed.
func Differing(ask map[string]any, now any) (map[string]any, error) {
	was, err := PlainData(now)
	if err != nil {
		return nil, err
	}
	will, err := PlainData(ask)
	if err != nil {
		return nil, err
	}
	fields, patch := was.(map[string]any), map[string]any{}
	for name, value := range will.(map[string]any) {
		if before, known := fields[name]; !known || !reflect.DeepEqual(before, value) {
			patch[name] = value
		}
	}
	return patch, nil
}

// PlainData converts a value to its JSON form: objects, lists, strings, numbers.
func PlainData(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return wholeNumbers(plain), nil
}

// wholeNumbers converts whole floats to integers: YAML writes 1e+06 for a float.
func wholeNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case map[string]any:
		for name, field := range v {
			v[name] = wholeNumbers(field)
		}
	case []any:
		for i, item := range v {
			v[i] = wholeNumbers(item)
		}
	}
	return value
}
