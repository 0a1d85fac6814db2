package cli

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// agentsCommand is about the assistants that the AI calls for one task.
type agentsCommand struct {
	List     agentsList     `cmd:"" default:"withargs" help:"List the agents, with those that the server brings along."`
	Show     agentsShow     `cmd:"" help:"Show an agent's definition."`
	Versions agentsVersions `cmd:"" help:"List an agent as it was, the latest first."`
	Add      agentsAdd      `cmd:"" help:"Make one from a file."`
	Change   agentsChange   `cmd:"" help:"Change one: a file with what is to be different."`
	Try      agentsTry      `cmd:"" help:"Give an agent a task, without a caller."`
	Delete   agentsDelete   `cmd:"" help:"Delete an agent; its sessions stay."`
}

type agentsList struct {
	clientFlags `embed:""`
}

// Run prints them.
func (c *agentsList) Run(cc *Context) error {
	head := []string{"ID", "COMMAND", "STATE", "ANSWERS", "MAY USE", "NAME"}
	return printList(cc, &c.clientFlags, "/v1/agents", url.Values{}, everything, head, func(a *api.Agent) []string {
		return []string{a.ID, a.Command, agentState(a), strconv.Itoa(a.MaxTurns), strings.Join(a.Commands, ","), printable(a.Name)}
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

// agentNamed is an agent by its id, its name or its command.
type agentNamed struct {
	clientFlags `embed:""`
	Agent       string `arg:"" help:"Its id, name or command."`
}

// find gives the agent that is meant. One that is not there is the server's to say.
func (f *agentNamed) find(cc *Context) (*client, *api.Agent, error) {
	client, err := f.client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := list[api.Agent](cc, client, "/v1/agents", url.Values{}, everything)
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
	err = client.call(cc, http.MethodGet, agentPath(f.Agent), nil, &one)
	return client, &one, err
}

func agentPath(id string) string { return "/v1/agents/" + url.PathEscape(id) }

type agentsVersions struct {
	agentNamed
	Limit int `help:"How many at most." default:"50"`
}

// Run prints them; "-o json" has their whole texts.
func (c *agentsVersions) Run(cc *Context) error {
	_, a, err := c.find(cc)
	if err != nil {
		return err
	}
	head := []string{"VERSION", "MADE", "STATE", "ANSWERS", "MAY USE", "DESCRIPTION"}
	return printList(cc, &c.clientFlags, agentPath(a.ID)+"/versions", url.Values{}, c.Limit, head, func(a *api.Agent) []string {
		made := ""
		if a.UpdatedAt != nil {
			made = clockTime(*a.UpdatedAt)
		}
		return []string{
			strconv.FormatInt(a.Version, 10), made, agentState(a), strconv.Itoa(a.MaxTurns),
			strings.Join(a.Commands, ","), printable(a.Description),
		}
	})
}

type agentsShow struct{ agentNamed }

// Run prints it.
func (c *agentsShow) Run(cc *Context) error {
	_, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return showAgent(cc, c.Output, a)
}

func showAgent(cc *Context, output string, a *api.Agent) error {
	if output == "json" {
		return printJSON(cc.Out, a)
	}
	out := screen{out: cc.Out}
	out.line("%s %s (%s, %s)", a.ID, a.Command, printable(a.Name), agentState(a))
	out.line("%s", printable(a.Description))
	out.line("may use: %s", strings.Join(a.Commands, ", "))
	out.line("answers %s at most", api.Many(a.MaxTurns, "time"))
	return nil
}

type agentsAdd struct{ fromFile }

// Run makes one, as the file says.
func (c *agentsAdd) Run(cc *Context) error {
	return makeFrom(cc, &c.fromFile, "/v1/agents", showAgent)
}

type agentsChange struct {
	agentNamed
	changed
}

// Run changes it, as the file says.
func (c *agentsChange) Run(cc *Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return changeFrom(cc, client, c.Output, &c.changed, agentPath(a.ID), a, showAgent)
}

type agentsTry struct {
	agentNamed
	Query string `arg:"" help:"The task: the agent sees nothing else."`
}

// Run begins a session of the agent, and says which.
func (c *agentsTry) Run(cc *Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	var begun api.ActivationResult
	if err := client.call(cc, http.MethodPost, agentPath(a.ID)+"/try", map[string]any{"query": c.Query}, &begun); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, begun)
	}
	(&screen{out: cc.Out}).line("%s (%s); fermata tail --session %[1]s follows it", begun.Session.ID, begun.Result)
	return nil
}

type agentsDelete struct{ agentNamed }

// Run deletes it.
func (c *agentsDelete) Run(cc *Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	return deleted(cc, client, c.Output, "/v1/agents", a.ID, a.Name)
}
