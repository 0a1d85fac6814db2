package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/api"
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
	clientFlags `embed:""`
	Connector   string `arg:"" help:"The connector's id, prefix or name."`
}

// find reads the selected connector.
func (c *connectorNamed) find(cc *Context) (*client, *api.Connector, error) {
	client, err := c.client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := list[api.Connector](cc, client, "/v1/connectors", url.Values{}, everything)
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
	clientFlags `embed:""`
}

// Run prints the connectors.
func (c *connectorsList) Run(cc *Context) error {
	head := []string{"ID", "PREFIX", "KIND", "STATUS", "OFFERED", "NAME"}
	return printList(cc, &c.clientFlags, "/v1/connectors", url.Values{}, everything, head, func(one *api.Connector) []string {
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
	})
}

type connectorsAdd struct{ fromFile }

// Run creates the connector.
func (c *connectorsAdd) Run(cc *Context) error {
	return makeFrom(cc, &c.fromFile, "/v1/connectors", showConnector)
}

type connectorsShow struct{ connectorNamed }

// Run shows the connector.
func (c *connectorsShow) Run(cc *Context) error {
	_, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return showConnector(cc, c.Output, one)
}

func showConnector(cc *Context, output string, one *api.Connector) error {
	if output == "json" {
		return printJSON(cc.Out, one)
	}
	s := screen{out: cc.Out}
	s.line("%s", api.Visible(fmt.Sprintf("%s %s (%s, %s): %s", one.ID, one.Prefix, one.Kind, one.Name, one.Status)))
	if one.StatusDetail != "" {
		s.line("%s", api.Visible(one.StatusDetail))
	}
	s.line("%s", api.Visible(string(one.Config)))
	return tableOfCommands(cc, one)
}

func tableOfCommands(cc *Context, one *api.Connector) error {
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
	return table(cc.Out, []string{"COMMAND", "STATE", "EFFECT", "ASKS", "TIMEOUT", "DESCRIPTION"}, rows)
}

type connectorsChange struct {
	connectorNamed
	changed
}

// Run changes the connector.
func (c *connectorsChange) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return changeFrom(cc, client, c.Output, &c.changed, "/v1/connectors/"+one.ID, one, showConnector)
}

type connectorsTest struct{ connectorNamed }

// Run tests the connector; a server that does not respond is an error.
func (c *connectorsTest) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var test api.ConnectorTest
	if err := client.call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/test", nil, &test); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, test)
	}
	if !test.Ok {
		return fmt.Errorf("%s is %s: %s", one.Prefix, test.Status, *test.Error)
	}
	s := screen{out: cc.Out}
	s.line("%s responds, in %d ms; it has %s", one.Prefix, test.LatencyMs, api.Many(test.Commands, "command"))
	return nil
}

type connectorsSignIn struct{ connectorNamed }

// Run prints the link. Unlike the web app's link it is not bound to one browser.
func (c *connectorsSignIn) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	var begun api.ConnectorSignIn
	if err := client.call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/sign-in", nil, &begun); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, begun)
	}
	out := screen{out: cc.Out}
	out.line("Open this in your browser before %s, and give your consent there. Do not share it: it works once.", clockTime(begun.ExpiresAt))
	out.line("%s", printable(begun.URL))
	return nil
}

type connectorsRefresh struct{ connectorNamed }

// Run refreshes the list of commands.
func (c *connectorsRefresh) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.call(cc, http.MethodPost, "/v1/connectors/"+one.ID+"/refresh", nil, one); err != nil {
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
func (c *connectorsCommands) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if c.Command != "" {
		path := "/v1/connectors/" + one.ID + "/commands/" + url.PathEscape(strings.ToUpper(c.Command))
		if err := client.call(cc, http.MethodPatch, path, c.change(), one); err != nil {
			return err
		}
	}
	if c.Output == "json" {
		return printJSON(cc.Out, one.Commands)
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
func (c *connectorsEnable) Run(cc *Context) error { return c.enable(cc, true) }

type connectorsDisable struct{ connectorNamed }

// Run disables the connector.
func (c *connectorsDisable) Run(cc *Context) error { return c.enable(cc, false) }

func (c *connectorNamed) enable(cc *Context, enabled bool) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.call(cc, http.MethodPatch, "/v1/connectors/"+one.ID, map[string]any{"enabled": enabled}, one); err != nil {
		return err
	}
	return showConnector(cc, c.Output, one)
}

type connectorsDelete struct{ connectorNamed }

// Run deletes the connector.
func (c *connectorsDelete) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return deleted(cc, client, c.Output, "/v1/connectors", one.ID, one.Name)
}
