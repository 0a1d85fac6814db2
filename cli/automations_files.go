package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// automationFile is a file of automations, as plain data in the form of the API.
type automationFile struct {
	Automations []map[string]any `json:"automations" yaml:"automations"`
}

// kept are the fields of an automation in a file.
var kept = []string{
	"name", "provider_id", "enabled", "schedule", "misfire", "overlap", "lane", "automation_validation", "require_validation",
	"completion", "tags", "triggers", "budgets",
}

type automationsExport struct {
	command.ClientFlags `embed:""`
	Names               []string `arg:"" optional:"" help:"Ids or names; default: all."`
	Format              string   `help:"Format of the file: yaml or json." enum:"yaml,json" default:"yaml" short:"f"`
}

// Run writes the file. The ids of tools and providers in it are those of this server.
func (c *automationsExport) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	all, err := allAutomations(cc, client, "")
	if err != nil {
		return err
	}
	if len(c.Names) > 0 {
		var chosen []api.Automation
		for _, name := range c.Names {
			a, err := automationCalled(all, name)
			if err != nil {
				return err
			}
			if a == nil {
				return fmt.Errorf("there is no automation %q", name)
			}
			chosen = append(chosen, *a)
		}
		all = chosen
	}
	file := automationFile{Automations: []map[string]any{}}
	for i := range all {
		one, err := exported(cc, client, &all[i])
		if err != nil {
			return err
		}
		file.Automations = append(file.Automations, one)
	}
	if c.Format == "json" || c.Output == "json" {
		return command.PrintJSON(cc.Out, file)
	}
	encoder := yaml.NewEncoder(cc.Out)
	encoder.SetIndent(2)
	if err := encoder.Encode(file); err != nil {
		return fmt.Errorf("write the file: %w", err)
	}
	return encoder.Close()
}

// exported converts an automation, with its SEED, to its form in a file; empty fields are omitted.
func exported(cc *command.Context, c *remote.Client, a *api.Automation) (map[string]any, error) {
	var seed api.Seed
	if err := c.Call(cc, http.MethodGet, "/v1/automations/"+a.ID+"/seed", nil, &seed); err != nil {
		return nil, err
	}
	for i := range seed.Segments {
		if e := seed.Segments[i].Enrichment; e != nil {
			e.Summary = "" // computed by the server
		}
	}
	whole, err := command.PlainData(a)
	if err != nil {
		return nil, err
	}
	one, fields := map[string]any{}, whole.(map[string]any)
	for _, name := range kept {
		if value := withoutNulls(fields[name]); value != nil {
			one[name] = value
		}
	}
	if a.Commands != nil && (len(a.Commands) != 1 || a.Commands[0] != "*") { // an empty list means none
		one["commands"] = fields["commands"]
	}
	segments, err := command.PlainData(seed.Segments)
	if err != nil {
		return nil, err
	}
	one["seed"] = map[string]any{"segments": segments}
	if len(seed.Segments) == 1 && seed.Segments[0].Enrichment == nil {
		one["seed"] = map[string]any{"text": seed.Segments[0].Text}
	}
	return one, nil
}

// withoutNulls removes the null fields of an object, and returns nil for an object that is then empty.
func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, field any) bool { return field == nil })
		if len(v) == 0 {
			return nil
		}
	case []any:
		if len(v) == 0 {
			return nil
		}
	}
	return value
}

type automationsImport struct {
	command.ClientFlags `embed:""`
	File                string `arg:"" help:"YAML or JSON file as written by export; - reads the standard input."`
	DryRun              bool   `help:"Only print what would be created and changed."`
}

// Run creates or changes each automation of the file, by its name.
func (c *automationsImport) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	file, err := readAutomations(cc.In, c.File)
	if err != nil {
		return err
	}
	have, err := allAutomations(cc, client, "")
	if err != nil {
		return err
	}
	done := []map[string]any{}
	for _, one := range file.Automations {
		result, err := c.put(cc, client, have, one)
		if err != nil {
			return fmt.Errorf("%q: %w (%d of %d were imported)", one["name"], err, len(done), len(file.Automations))
		}
		done = append(done, result)
		if c.Output != "json" {
			_, _ = fmt.Fprintf(cc.Out, "%s %s %s\n", result["result"], result["id"], command.Printable(fmt.Sprint(one["name"])))
		}
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, done)
	}
	return nil
}

func readAutomations(in io.Reader, path string) (*automationFile, error) {
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("open the file: %w", err)
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	var file automationFile
	decoder := yaml.NewDecoder(in) // JSON is YAML
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	seen := map[string]bool{}
	for i, one := range file.Automations {
		name, _ := one["name"].(string)
		if name == "" {
			return nil, fmt.Errorf("automation %d of the file has no name", i+1)
		}
		if seen[name] {
			return nil, fmt.Errorf("two automations of the file are named %q", name)
		}
		seen[name] = true
		localTimes(one)
	}
	return &file, nil
}

// localTimes restores local dates and times that YAML decoded as timestamps.
func localTimes(object map[string]any) {
	for name, value := range object {
		switch v := value.(type) {
		case time.Time:
			object[name] = v.Format("2006-01-02T15:04:05")
		case map[string]any:
			localTimes(v)
		}
	}
}

// put creates an automation of the file, or changes the existing one with its name.
func (c *automationsImport) put(
	cc *command.Context, client *remote.Client, have []api.Automation, one map[string]any,
) (map[string]any, error) {
	old, err := automationCalled(have, one["name"].(string))
	if err != nil {
		return nil, err
	}
	result := map[string]any{"name": one["name"], "id": "-", "result": "created"}
	if old != nil {
		result["id"], result["result"] = old.ID, "changed"
	}
	if c.DryRun {
		result["result"] = map[string]string{"created": "would create", "changed": "would change"}[result["result"].(string)]
		return result, nil
	}
	var now api.Automation
	if old == nil {
		err = client.Call(cc, http.MethodPost, "/v1/automations", one, &now)
	} else {
		err = client.Call(cc, http.MethodPatch, "/v1/automations/"+old.ID, asPatch(one), &now)
	}
	result["id"] = now.ID
	return result, err
}

// asPatch adds null for the fields that the file omits: a merge patch would keep them.
func asPatch(one map[string]any) map[string]any {
	patch := map[string]any{
		"provider_id":           nil,
		"schedule":              nil,
		"misfire":               "once",
		"overlap":               "skip",
		"lane":                  "owner",
		"automation_validation": nil,
		"require_validation":    false,
		"completion":            "auto",
		"tags":                  []string{},
		"commands":              []string{"*"},
		"triggers":              []any{},
	}
	maps.Copy(patch, one)
	budgets := map[string]any{"max_tokens_per_round": nil, "max_cost_per_round": nil, "max_cost_per_session": nil, "max_cost_per_day": nil}
	if set, ok := one["budgets"].(map[string]any); ok {
		maps.Copy(budgets, set)
	}
	patch["budgets"] = budgets
	if schedule, ok := one["schedule"].(map[string]any); ok {
		whole := map[string]any{"starts_at": nil}
		maps.Copy(whole, schedule)
		patch["schedule"] = whole
	}
	return patch
}
