package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
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

// findNamed reads a list of the server, and finds an item in it.
func findNamed[T any](cc *Context, c *client, path, name, kind, lists string, of func(*T) (id, name string)) (*T, error) {
	all, err := list[T](cc, c, path, url.Values{}, everything)
	if err != nil {
		return nil, err
	}
	return calledBy(all, name, kind, lists, of)
}

// deleted deletes a resource and reports it.
func deleted(cc *Context, c *client, output, path, id, name string) error {
	if err := c.call(cc, http.MethodDelete, path+"/"+id, nil, nil); err != nil {
		return err
	}
	if output == "json" {
		return printJSON(cc.Out, map[string]string{"id": id})
	}
	s := screen{out: cc.Out}
	if name == id {
		s.line("deleted %s", id)
		return nil
	}
	s.line("deleted %s (%s)", id, name)
	return nil
}

// fromFile selects the definition of a new resource.
type fromFile struct {
	clientFlags `embed:""`
	File        string `arg:"" help:"The body of the API's POST request, in YAML or JSON; - reads the standard input."`
}

// makeFrom creates a resource from a file, and displays it.
func makeFrom[T any](cc *Context, c *fromFile, path string, show func(cc *Context, output string, made *T) error) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	ask, err := readDefinition(cc, c.File)
	if err != nil {
		return err
	}
	var made T
	if err := client.call(cc, http.MethodPost, path, ask, &made); err != nil {
		return err
	}
	return show(cc, c.Output, &made)
}
