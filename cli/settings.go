package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// settingsCommand manages the settings of a workspace.
type settingsCommand struct {
	Show settingsShow `cmd:"" default:"withargs" help:"Show the workspace's settings, with those that were changed marked."`
	Set  settingsSet  `cmd:"" help:"Change settings: NAME=VALUE, or NAME= for the default."`
}

type settingsShow struct {
	command.ClientFlags `embed:""`
	Names               []string `arg:"" optional:"" help:"Only these settings."`
}

// Run prints the settings.
func (c *settingsShow) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := client.Call(cc, http.MethodGet, "/v1/settings", nil, &all); err != nil {
		return err
	}
	return printSettings(cc, c.Output, all, c.Names)
}

func printSettings(cc *command.Context, output string, all map[string]json.RawMessage, only []string) error {
	var changed []string
	_ = json.Unmarshal(all["changed"], &changed) // if absent, none is marked
	names := only
	if len(names) == 0 {
		for name := range all {
			if name != "changed" {
				names = append(names, name)
			}
		}
		slices.Sort(names)
	}
	shown, rows := map[string]json.RawMessage{}, make([][]string, 0, len(names))
	for _, name := range names {
		value, known := all[name]
		if !known {
			return fmt.Errorf("there is no setting %q; list them with: fermata settings", name)
		}
		mark := ""
		if slices.Contains(changed, name) {
			mark = "changed"
		}
		shown[name] = value
		rows = append(rows, []string{name, shorten.Characters(string(value), 80), mark})
	}
	if output == "json" {
		return command.PrintJSON(cc.Out, shown)
	}
	return command.Table(cc.Out, []string{"SETTING", "VALUE", ""}, rows)
}

type settingsSet struct {
	command.ClientFlags `embed:""`
	Values              []string `arg:"" help:"NAME=VALUE; the value in YAML or JSON (time_zone=Europe/Paris, 'limits={max_roundtrips: 20}')." placeholder:"NAME=VALUE"`
}

// Run changes all of the settings, or none.
func (c *settingsSet) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	patch, names := map[string]any{}, make([]string, 0, len(c.Values))
	for _, text := range c.Values {
		name, value, is := strings.Cut(text, "=")
		if !is || name == "" {
			return command.Misused(fmt.Errorf("%q is not of the form NAME=VALUE", text))
		}
		var v any
		if err := yaml.Unmarshal([]byte(value), &v); err != nil {
			return command.Misused(fmt.Errorf("the value of %s is neither YAML nor JSON: %w", name, err))
		}
		patch[name] = v // an empty value is null, the default
		names = append(names, name)
	}
	var all map[string]json.RawMessage
	if err := client.Call(cc, http.MethodPatch, "/v1/settings", patch, &all); err != nil {
		return err
	}
	return printSettings(cc, c.Output, all, names)
}
