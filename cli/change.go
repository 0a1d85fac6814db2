package cli

import (
	"errors"
	"net/http"
	"reflect"
)

// changed is how a command says what is to be different.
type changed struct {
	Definition string `arg:"" optional:"" name:"file" help:"As --file."`
	From       string `name:"file" short:"f" placeholder:"FILE" help:"What is to be different, in YAML or JSON; null takes away. A file that 'add' takes will do. - reads it from the input."`
}

// file is the one that was named, in one way or the other.
func (c *changed) file() (string, error) {
	if (c.Definition == "") == (c.From == "") {
		return "", usageError{errors.New("name one file with what is to be different: -f FILE, or -f - for the input")}
	}
	return c.Definition + c.From, nil
}

// changeFrom changes a thing as a file says, and shows it. A file that says nothing new
// changes nothing.
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
		return usageError{errNothingSaid}
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

// differing are the fields of a definition that a thing does not have as they are: the file
// that it was made of says what has changed in it since, and nothing of what cannot change.
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
