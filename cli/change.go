package cli

import (
	"errors"
	"net/http"
	"reflect"
)

// changed selects the file with the fields to change.
type changed struct {
	Definition string `arg:"" optional:"" name:"file" help:"Same as --file."`
	From       string `name:"file" short:"f" placeholder:"FILE" help:"Fields to change, in YAML or JSON; null removes a value. A file for 'add' works too. - reads the standard input."`
}

// file returns the file, from the argument or the flag.
func (c *changed) file() (string, error) {
	if (c.Definition == "") == (c.From == "") {
		return "", usageError{errors.New("name one file with the fields to change: -f FILE, or -f - for the standard input")}
	}
	return c.Definition + c.From, nil
}

// changeFrom applies a file to a resource and displays the result. A file without differences changes
// nothing.
func changeFrom[T any](
	cc *Context, c *client, output string, said *changed, path string, now *T, show func(cc *Context, output string, one *T) error,
) error {
	file, err := said.file()
	if err != nil {
		return err
	}
	ask, err := readDefinition(cc, file)
	if err != nil {
		return err
	}
	if len(ask) == 0 {
		return usageError{errEmptyDefinition}
	}
	if ask, err = differing(ask, now); err != nil {
		return err
	}
	if len(ask) > 0 {
		now = new(T)
		if err := c.call(cc, http.MethodPatch, path, ask, now); err != nil {
			return err
		}
	}
	return show(cc, output, now)
}

// differing returns the fields of a definition that differ from the resource: a file for 'add' also has
// fields that cannot be changed.
func differing(ask map[string]any, now any) (map[string]any, error) {
	was, err := plainData(now)
	if err != nil {
		return nil, err
	}
	will, err := plainData(ask)
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
