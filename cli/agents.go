package cli

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// agentsCommand manages agents.
type agentsCommand struct {
	List     agentsList     `cmd:"" default:"withargs" help:"List the agents, including the built-in ones."`
	Show     agentsShow     `cmd:"" help:"Show an agent's definition."`
	Versions agentsVersions `cmd:"" help:"List the versions of an agent, newest first."`
	Add      agentsAdd      `cmd:"" help:"Create an agent from a file."`
	Change   agentsChange   `cmd:"" help:"Change an agent: a file with the fields to change."`
	Try      agentsTry      `cmd:"" help:"Run an agent on a task, without a calling session."`
	Delete   agentsDelete   `cmd:"" help:"Delete an agent; its sessions remain."`
}

type agentsList struct {
	command.ClientFlags `embed:""`
}

// Run prints the agents.
func (c *agentsList) Run(cc *command.Context) error {
	head := []string{"ID", "COMMAND", "STATE", "ANSWERS", "MAY USE", "NAME"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/agents", url.Values{}, remote.Everything, head, func(a *api.Agent) []string {
		return []string{a.ID, a.Command, agentState(a), strconv.Itoa(a.MaxTurns), strings.Join(a.Commands, ","), command.Printable(a.Name)}
	})
}

func agentState(a *api.Agent) string {
	switch {
	case !a.Enabled:
		return "disabled"
	case a.BuiltIn:
		return "built in"
	default:
		return "offered"
	}
}

// agentNamed selects an agent by its id, name or command.
type agentNamed struct {
	command.ClientFlags `embed:""`
	Agent               string `arg:"" help:"The agent's id, name or command."`
}

// find returns the selected agent. An unknown one is reported by the server.
func (f *agentNamed) find(cc *command.Context) (*remote.Client, *api.Agent, error) {
	client, err := f.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := remote.List[api.Agent](cc, client, "/v1/agents", url.Values{}, remote.Everything)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		a := &all[i]
		if a.ID == f.Agent || strings.EqualFold(a.Name, f.Agent) || strings.EqualFold(a.Command, f.Agent) {
			return client, a, nil
		}
	}
	var one api.Agent
	err = client.Call(cc, http.MethodGet, agentPath(f.Agent), nil, &one)
	return client, &one, err
}

func agentPath(id string) string { return "/v1/agents/" + url.PathEscape(id) }

type agentsVersions struct {
	agentNamed
	Limit int `help:"Maximum number of versions." default:"50"`
}

// Run prints the versions; "-o json" includes their full texts.
func (c *agentsVersions) Run(cc *command.Context) error {
	_, a, err := c.find(cc)
	if err != nil {
		return err
	}
	head := []string{"VERSION", "MADE", "STATE", "ANSWERS", "MAY USE", "DESCRIPTION"}
	return command.PrintList(cc, &c.ClientFlags, agentPath(a.ID)+"/versions", url.Values{}, c.Limit, head, func(a *api.Agent) []string {
		made := ""
		if a.UpdatedAt != nil {
			made = command.ClockTime(*a.UpdatedAt)
		}
		return []string{
			strconv.FormatInt(a.Version, 10), made, agentState(a), strconv.Itoa(a.MaxTurns),
			strings.Join(a.Commands, ","), command.Printable(a.Description),
		}
	})
}

type agentsShow struct{ agentNamed }

// Run prints the definition.
func (c *agentsShow) Run(cc *command.Context) error {
	_, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return showAgent(cc, c.Output, a)
}

func showAgent(cc *command.Context, output string, a *api.Agent) error {
	if output == "json" {
		return command.PrintJSON(cc.Out, a)
	}
	out := command.Screen{Out: cc.Out}
	out.Line("%s %s (%s, %s)", a.ID, a.Command, command.Printable(a.Name), agentState(a))
	out.Line("%s", command.Printable(a.Description))
	out.Line("may use: %s", strings.Join(a.Commands, ", "))
	out.Line("answers %s at most", api.Many(a.MaxTurns, "time"))
	return nil
}

type agentsAdd struct{ command.FromFile }

// Run creates the agent.
func (c *agentsAdd) Run(cc *command.Context) error {
	return command.MakeFrom(cc, &c.FromFile, "/v1/agents", showAgent)
}

type agentsChange struct {
	agentNamed
	command.Changed
}

// Run changes the agent.
func (c *agentsChange) Run(cc *command.Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.ChangeFrom(cc, client, c.Output, &c.Changed, agentPath(a.ID), a, showAgent)
}

type agentsTry struct {
	agentNamed
	Query string `arg:"" help:"The task: the agent sees nothing else."`
}

// Run starts a session of the agent and prints its id.
func (c *agentsTry) Run(cc *command.Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	var begun api.ActivationResult
	if err := client.Call(cc, http.MethodPost, agentPath(a.ID)+"/try", map[string]any{"query": c.Query}, &begun); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, begun)
	}
	(&command.Screen{Out: cc.Out}).Line("%s (%s); follow it with: fermata tail --session %[1]s", begun.Session.ID, begun.Result)
	return nil
}

type agentsDelete struct{ agentNamed }

// Run deletes the agent.
func (c *agentsDelete) Run(cc *command.Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.Delete(cc, client, c.Output, "/v1/agents", a.ID, a.Name)
}
