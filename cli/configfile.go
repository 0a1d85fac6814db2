package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata/internal/spelling"
)

// configFile is a YAML file of flags: its keys are the names of flags with underscores ("data_dir:
// /var/lib/fermata"). The environment and the command line override it.
type configFile map[string]any

// ReadConfigFile is kong's loader for --config.
func ReadConfigFile(r io.Reader) (kong.Resolver, error) {
	file := configFile{}
	if err := yaml.NewDecoder(r).Decode(&file); err != nil && !errors.Is(err, io.EOF) { // an empty file sets nothing
		return nil, fmt.Errorf("the configuration file is not YAML: %w", err)
	}
	return file, nil
}

// Validate rejects an unknown key and suggests a similar one.
func (f configFile) Validate(app *kong.Application) error {
	var known []string
	for _, group := range append([][]*kong.Flag{app.Flags}, flagsOf(app.Node)...) {
		for _, flag := range group {
			known = append(known, fileKey(flag.Name))
		}
	}
	for key := range f {
		if slices.Contains(known, key) {
			continue
		}
		hint := ""
		if near := spelling.Nearest(key, known); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("the configuration file has an unknown key %q%s", key, hint)
	}
	return nil
}

// Resolve returns a flag's value from the file, unless it is set in the environment.
func (f configFile) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return nil, nil
		}
	}
	value, ok := f[fileKey(flag.Name)]
	if !ok {
		return nil, nil
	}
	if list, isList := value.([]any); isList {
		var parts []string
		for _, part := range list {
			parts = append(parts, fmt.Sprint(part))
		}
		return strings.Join(parts, ","), nil
	}
	return fmt.Sprint(value), nil
}

func fileKey(flag string) string { return strings.ReplaceAll(flag, "-", "_") }

func flagsOf(n *kong.Node) [][]*kong.Flag {
	var all [][]*kong.Flag
	for _, child := range n.Children {
		all = append(append(all, child.Flags), flagsOf(child)...)
	}
	return all
}
