package command

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/cli/remote"
)

// calledBy finds an item of a list by its id or name. kind names the type of the items in errors, and
// lists the command that lists them.
func calledBy[T any](all []T, name, kind, lists string, of func(*T) (id, name string)) (*T, error) {
	var found *T
	for i := range all {
		switch id, called := of(&all[i]); {
		case id == name:
			return &all[i], nil
		case !strings.EqualFold(called, name):
		case found != nil:
			other, _ := of(found)
			return nil, fmt.Errorf("two of them are named %q: %s and %s; use an id", name, other, id)
		default:
			found = &all[i]
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there is no %s %q; list them with: %s", kind, name, lists)
	}
	return found, nil
}

// FindNamed reads a list of the server, and finds an item in it.
func FindNamed[T any](cc *Context, c *remote.Client, path, name, kind, lists string, of func(*T) (id, name string)) (*T, error) {
	all, err := remote.List[T](cc, c, path, url.Values{}, remote.Everything)
	if err != nil {
		return nil, err
	}
	return calledBy(all, name, kind, lists, of)
}

// Delete deletes a resource and reports it.
func Delete(cc *Context, c *remote.Client, output, path, id, name string) error {
	if err := c.Call(cc, http.MethodDelete, path+"/"+id, nil, nil); err != nil {
		return err
	}
	if output == "json" {
		return PrintJSON(cc.Out, map[string]string{"id": id})
	}
	s := Screen{Out: cc.Out}
	if name == id {
		s.Line("deleted %s", id)
		return nil
	}
	s.Line("deleted %s (%s)", id, name)
	return nil
}

// FromFile selects the definition of a new resource.
type FromFile struct {
	ClientFlags `embed:""`
	File        string `arg:"" help:"The body of the API's POST request, in YAML or JSON; - reads the standard input."`
}

// MakeFrom creates a resource from a file, and displays it.
func MakeFrom[T any](cc *Context, c *FromFile, path string, show func(cc *Context, output string, made *T) error) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	ask, err := ReadDefinition(cc, c.File)
	if err != nil {
		return err
	}
	var made T
	if err := client.Call(cc, http.MethodPost, path, ask, &made); err != nil {
		return err
	}
	return show(cc, c.Output, &made)
}
