package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// providersCommand manages model providers.
type providersCommand struct {
	List    providersList    `cmd:"" default:"withargs" help:"List the workspace's providers."`
	Kinds   providersKinds   `cmd:"" help:"List the kinds of providers."`
	Add     providersAdd     `cmd:"" help:"Create a provider from a file."`
	Show    providersShow    `cmd:"" help:"Show a provider, with its key masked."`
	Change  providersChange  `cmd:"" help:"Change a provider: a file with the fields to change."`
	Test    providersTest    `cmd:"" help:"Make a short call to a provider."`
	Models  providersModels  `cmd:"" help:"List the vendor's models."`
	Default providersDefault `cmd:"" help:"Use a provider for sessions that name none."`
	Delete  providersDelete  `cmd:"" help:"Delete a provider."`
}

// providerNamed selects a provider.
type providerNamed struct {
	command.ClientFlags `embed:""`
	Provider            string `arg:"" help:"The provider's id or name."`
}

func (c *providerNamed) find(cc *command.Context) (*remote.Client, *api.Provider, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	one, err := command.FindNamed(cc, client, "/v1/providers", c.Provider, "provider", "fermata providers",
		func(p *api.Provider) (id, name string) { return p.ID, p.Name })
	return client, one, err
}

type providersList struct {
	command.ClientFlags `embed:""`
}

// Run prints the providers.
func (c *providersList) Run(cc *command.Context) error {
	head := []string{"ID", "KIND", "DEFAULT", "MODEL", "NAME"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/providers", url.Values{}, remote.Everything, head, func(p *api.Provider) []string {
		isDefault := ""
		if p.IsDefault {
			isDefault = "yes"
		}
		return []string{p.ID, p.Kind, isDefault, modelOf(p), shorten.Characters(p.Name, 50)}
	})
}

// modelOf is the model in a provider's configuration.
func modelOf(p *api.Provider) string {
	var config struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(p.Config, &config) // not every configuration has one
	return config.Model
}

type providersKinds struct {
	command.ClientFlags `embed:""`
}

// Run prints the kinds.
func (c *providersKinds) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var all api.ProviderKindList // this list has no pages
	if err := client.Call(cc, http.MethodGet, "/v1/provider-kinds", nil, &all); err != nil {
		return err
	}
	return command.PrintRows(cc, &c.ClientFlags, all.Data, []string{"KIND", "NAME"}, func(k *api.ProviderKind) []string {
		return []string{k.Name, shorten.Characters(k.DisplayName, 60)}
	})
}

type providersAdd struct{ command.FromFile }

// Run creates the provider.
func (c *providersAdd) Run(cc *command.Context) error {
	return command.MakeFrom(cc, &c.FromFile, "/v1/providers", showProvider)
}

type providersShow struct{ providerNamed }

// Run shows the provider.
func (c *providersShow) Run(cc *command.Context) error {
	_, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return showProvider(cc, c.Output, one)
}

func showProvider(cc *command.Context, output string, p *api.Provider) error {
	if output == "json" {
		return command.PrintJSON(cc.Out, p)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s %s (%s)", p.ID, p.Name, p.Kind)
	s.Line("%s", string(p.Config))
	if p.IsDefault {
		s.Line("the default for sessions that name no provider")
	}
	return nil
}

type providersChange struct {
	providerNamed
	command.Changed
}

// Run changes the provider.
func (c *providersChange) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.ChangeFrom(cc, client, c.Output, &c.Changed, "/v1/providers/"+one.ID, one, showProvider)
}

type providersTest struct{ providerNamed }

// Run tests the provider; a failed call is an error.
func (c *providersTest) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var test api.ProviderTest
	if err := client.Call(cc, http.MethodPost, "/v1/providers/"+one.ID+"/test", nil, &test); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, test)
	}
	if !test.Ok && test.Error != nil {
		return fmt.Errorf("%s failed: %s. %s %s", one.Name, test.Error.Message, test.Error.Meaning, test.Error.Mend)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s responds, in %d ms, as %s: %s", one.Name, test.LatencyMs, api.Value(test.Model), api.Value(test.Said))
	return nil
}

type providersModels struct{ providerNamed }

// Run prints the models.
func (c *providersModels) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var all api.ModelList
	if err := client.Call(cc, http.MethodGet, "/v1/providers/"+one.ID+"/models", nil, &all); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, all.Data)
	}
	s := command.Screen{Out: cc.Out}
	for _, model := range all.Data {
		s.Line("%s", model.ID)
	}
	return nil
}

type providersDefault struct{ providerNamed }

// Run makes the provider the default.
func (c *providersDefault) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.Call(cc, http.MethodPatch, "/v1/providers/"+one.ID, map[string]any{"is_default": true}, one); err != nil {
		return err
	}
	return showProvider(cc, c.Output, one)
}

type providersDelete struct{ providerNamed }

// Run deletes the provider.
func (c *providersDelete) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.Delete(cc, client, c.Output, "/v1/providers", one.ID, one.Name)
}
