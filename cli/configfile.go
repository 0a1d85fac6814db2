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
)

// configFile is a YAML file of flags: its keys are the flags' names with underscores
// ("data_dir: /var/lib/fermata"). The environment and the command line win over it.
type configFile map[string]any

// ReadConfigFile is kong's loader for --config.
func ReadConfigFile(r io.Reader) (kong.Resolver, error) {
	file := configFile{}
	if err := yaml.NewDecoder(r).Decode(&file); err != nil && !errors.Is(err, io.EOF) { // an empty file sets nothing
		return nil, fmt.Errorf("the configuration file is not YAML: %w", err)
	}
	return file, nil
}

// Validate refuses a key that no flag has, with the name that was probably meant.
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
		if near := nearest(key, known); near != "" {
			hint = fmt.Sprintf("; did you mean %q?", near)
		}
		return fmt.Errorf("the configuration file has an unknown key %q%s", key, hint)
	}
	return nil
}

// Resolve gives a flag's value from the file, unless the environment has one.
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

// nearest is the known name that a mistyped one is closest to, if it is close.
func nearest(name string, known []string) string {
	best, distance := "", 4
	for _, k := range known {
		if d := edits(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// edits counts the letters to change, add or take away to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost = 1 + min(diagonal, row[j], row[j-1])
			}
			diagonal, row[j] = row[j], cost
		}
	}
	return row[len(b)]
}
