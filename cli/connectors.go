package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// connectorsCommand manages connectors.
type connectorsCommand struct {
	List     connectorsList     `cmd:"" default:"withargs" help:"List the workspace's connectors."`
	Add      connectorsAdd      `cmd:"" help:"Create a connector from a file."`
	Show     connectorsShow     `cmd:"" help:"Show a connector, with masked secrets."`
	Change   connectorsChange   `cmd:"" help:"Change a connector: a file with the fields to change."`
	Test     connectorsTest     `cmd:"" help:"Check whether a connector's server responds."`
	SignIn   connectorsSignIn   `cmd:"" help:"Start a sign-in to a connector's server; prints the link to open."`
	Refresh  connectorsRefresh  `cmd:"" help:"Reconnect, and list the commands again."`
	Commands connectorsCommands `cmd:"" help:"List a connector's commands, or configure one."`
	Enable   connectorsEnable   `cmd:"" help:"Offer its commands."`
	Disable  connectorsDisable  `cmd:"" help:"Offer none of its commands."`
	Delete   connectorsDelete   `cmd:"" help:"Delete a connector, with its commands."`
}

// connectorNamed selects a connector.
type connectorNamed struct {
	command.ClientFlags `embed:""`
	Connector           string `arg:"" help:"The connector's id, prefix or name."`
}

// find reads the selected connector.
func (c *connectorNamed) find(cc *command.Context) (*remote.Client, *api.Connector, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := remote.List[api.Connector](cc, client, "/v1/connectors", url.Values{}, remote.Everything)
	if err != nil {
		return nil, nil, err
	}
	var found *api.Connector
	for i := range all {
		switch one := &all[i]; {
		case one.ID == c.Connector || one.Prefix == strings.ToUpper(c.Connector):
			return client, one, nil
		case one.Name != c.Connector:
		case found != nil:
			return nil, nil, fmt.Errorf("two connectors are named %q: %s and %s; use a prefix",
				one.Name, found.Prefix, one.Prefix)
		default:
			found = one
		}
	}
	if found == nil {
		return nil, nil, fmt.Errorf("there is no connector %q; list them with: fermata connectors", c.Connector)
	}
	return client, found, nil
}

type connectorsList struct {
	command.ClientFlags `embed:""`
}

// Run prints the connectors.
func (c *connectorsList) Run(cc *command.Context) error {
	head := []string{"ID", "PREFIX", "KIND", "STATUS", "OFFERED", "NAME"}
	row := func(one *api.Connector) []string {
		offered := 0
		for i := range one.Commands {
			if one.Commands[i].State == api.ConnectorCommandStateOffered {
				offered++
			}
		}
		return []string{
			one.ID, one.Prefix, string(one.Kind), string(one.Status), fmt.Sprintf("%d of %d", offered, len(one.Commands)),
			shorten.Characters(one.Name, 50),
		}
	}
	return command.PrintList(cc, &c.ClientFlags, "/v1/connectors", url.Values{}, remote.Everything, head, row)
}

type connectorsAdd struct{ command.FromFile }

// Run creates the connector.
func (c *connectorsAdd) Run(cc *command.Context) error {
	return command.MakeFrom(cc, &c.FromFile, "/v1/connectors", showConnector)
}

type connectorsShow struct{ connectorNamed }

// Run shows the connector.
func (c *connectorsShow) Run(cc *command.Context) error {
	_, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return showConnector(cc, c.Output, one)
}

func showConnector(cc *command.Context, output string, one *api.Connector) error {
	if output == "json" {
		return command.PrintJSON(cc.Out, one)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s", api.Visible(fmt.Sprintf("%s %s (%s, %s): %s", one.ID, one.Prefix, one.Kind, one.Name, one.Status)))
	if one.StatusDetail != "" {
		s.Line("%s", api.Visible(one.StatusDetail))
	}
	s.Line("%s", api.Visible(string(one.Config)))
	return tableOfCommands(cc, one)
}

func tableOfCommands(cc *command.Context, one *api.Connector) error {
	rows := make([][]string, len(one.Commands))
	for i := range one.Commands {
		command, asks := &one.Commands[i], "no"
		if command.RequireValidation {
			asks = "yes"
		}
		rows[i] = []string{
			one.Prefix + "." + command.Name, string(command.State), string(command.Effect), asks, command.Timeout,
			shorten.Characters(command.Description, 60),
		}
	}
	return command.Table(cc.Out, []string{"COMMAND", "STATE", "EFFECT", "ASKS", "TIMEOUT", "DESCRIPTION"}, rows)
}

type connectorsChange struct {
	connectorNamed
	command.Changed
}

// Run changes the connector.
func (c *connectorsChange) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.ChangeFrom(cc, client, c.Output, &c.Changed, "/v1/connectors/"+one.ID, one, showConnector)
}

type connectorsTest struct{ connectorNamed }

// Run tests the connector; a server that does not respond is an error.
func (c *connectorsTest) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var test api.ConnectorTest
	if err := client.Call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/test", nil, &test); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, test)
	}
	if !test.Ok {
		return fmt.Errorf("%s is %s: %s", one.Prefix, test.Status, *test.Error)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s responds, in %d ms; it has %s", one.Prefix, test.LatencyMs, api.Many(test.Commands, "command"))
	return nil
}

type connectorsSignIn struct{ connectorNamed }

// Run prints the link. Unlike the web app's link it is not bound to one browser.
func (c *connectorsSignIn) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var begun api.ConnectorSignIn
	if err := client.Call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/sign-in", nil, &begun); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, begun)
	}
	out := command.Screen{Out: cc.Out}
	out.Line("Open this in your browser before %s, and give your consent there. Do not share it: it works once.", command.ClockTime(begun.ExpiresAt))
	out.Line("%s", command.Printable(begun.URL))
	return nil
}

type connectorsRefresh struct{ connectorNamed }

// Run refreshes the list of commands.
func (c *connectorsRefresh) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.Call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/refresh", nil, one); err != nil {
		return err
	}
	return showConnector(cc, c.Output, one)
}

type connectorsCommands struct {
	connectorNamed
	Command string `arg:"" optional:"" help:"A command without its prefix; default: list all."`
	State   string `help:"Set to offered or off." enum:",offered,off" default:""`
	Effect  string `help:"Set to read_only, idempotent or non_idempotent." enum:",read_only,idempotent,non_idempotent" default:""`
	Asks    string `help:"Whether each call needs an approval: yes or no." enum:",yes,no" default:""`
	Timeout string `help:"Timeout of a call, for example 30s." placeholder:"DURATION"`
}

// Run lists the commands, or changes one.
func (c *connectorsCommands) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if c.Command != "" {
		path := "/v1/connectors/" + one.ID + "/commands/" + url.PathEscape(strings.ToUpper(c.Command))
		if err := client.Call(cc, http.MethodPatch, path, c.change(), one); err != nil {
			return err
		}
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, one.Commands)
	}
	return tableOfCommands(cc, one)
}

func (c *connectorsCommands) change() map[string]any {
	change := map[string]any{}
	for name, value := range map[string]string{"state": c.State, "effect": c.Effect, "timeout": c.Timeout} {
		if value != "" {
			change[name] = value
		}
	}
	if c.Asks != "" {
		change["require_validation"] = c.Asks == "yes"
	}
	return change
}

type connectorsEnable struct{ connectorNamed }

// Run enables the connector.
func (c *connectorsEnable) Run(cc *command.Context) error { return c.enable(cc, true) }

type connectorsDisable struct{ connectorNamed }

// Run disables the connector.
func (c *connectorsDisable) Run(cc *command.Context) error { return c.enable(cc, false) }

func (c *connectorNamed) enable(cc *command.Context, enabled bool) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.Call(cc, http.MethodPatch, "/v1/connectors/"+one.ID, map[string]any{"enabled": enabled}, one); err != nil {
		return err
	}
	return showConnector(cc, c.Output, one)
}

type connectorsDelete struct{ connectorNamed }

// Run deletes the connector.
func (c *connectorsDelete) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.Delete(cc, client, c.Output, "/v1/connectors", one.ID, one.Name)
}
