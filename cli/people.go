package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// peopleCommand manages the people of a workspace.
type peopleCommand struct {
	List     peopleList     `cmd:"" default:"withargs" help:"List the people of the workspace."`
	Sessions peopleSessions `cmd:"" help:"List a person's sessions, without their names."`
	Rename   peopleRename   `cmd:"" help:"Name a person."`
	Block    peopleBlock    `cmd:"" help:"Refuse a person's requests from now on."`
	Unblock  peopleUnblock  `cmd:"" help:"Accept a blocked person's requests again."`
	Token    peopleToken    `cmd:"" help:"Issue a bearer token for a user of your program, and print it."`
}

type peopleList struct {
	command.ClientFlags `embed:""`
}

// Run prints the people.
func (c *peopleList) Run(cc *command.Context) error {
	head := []string{"ID", "KIND", "ROLE", "SESSIONS", "THIS MONTH", "LAST SEEN", "NAME"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/people", url.Values{}, remote.Everything, head, func(p *api.Person) []string {
		name := shorten.Characters(p.Name, 50)
		if p.BlockedAt != nil {
			name += " (blocked)"
		}
		return []string{
			p.ID, string(p.Kind), string(p.Role), fmt.Sprint(p.Sessions), spending(p.SpentThisMonth), command.ClockTime(p.LastSeenAt), name,
		}
	})
}

func spending(cost *api.Cost) string {
	if cost == nil {
		return "-"
	}
	return fmt.Sprintf("$%.2f", cost.Amount)
}

// personNamed is a person, by id or name.
type personNamed struct {
	command.ClientFlags `embed:""`
	Person              string `arg:"" help:"The person's id (per_…) or name."`
}

func (c *personNamed) find(cc *command.Context) (*remote.Client, *api.Person, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	p, err := command.FindNamed(cc, client, "/v1/people", c.Person, "person", "fermata people",
		func(p *api.Person) (id, name string) { return p.ID, p.Name })
	return client, p, err
}

// change changes the person and prints the outcome.
func (c *personNamed) change(cc *command.Context, patch map[string]any, done string) error {
	client, found, err := c.find(cc)
	if err != nil {
		return err
	}
	var p api.Person
	if err := client.Call(cc, http.MethodPatch, "/v1/people/"+found.ID, patch, &p); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, p)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s %s (%s)", done, p.ID, p.Name)
	return nil
}

type peopleSessions struct {
	personNamed `embed:""`
}

// Run prints the sessions of a person.
func (c *peopleSessions) Run(cc *command.Context) error {
	_, found, err := c.find(cc)
	if err != nil {
		return err
	}
	head := []string{"ID", "TYPE", "CREATED", "LAST USED", "COST"}
	path := "/v1/people/" + found.ID + "/sessions"
	return command.PrintList(cc, &c.ClientFlags, path, url.Values{}, remote.Everything, head, func(s *api.PersonSession) []string {
		return []string{s.ID, string(s.Type), command.ClockTime(s.CreatedAt), command.ClockTime(s.LastEventTime), spending(s.Cost)}
	})
}

type peopleRename struct {
	personNamed `embed:""`
	Name        string `arg:"" optional:"" help:"The name; without it, the name from the person's credentials."`
}

// Run names a person.
func (c *peopleRename) Run(cc *command.Context) error {
	patch := map[string]any{"name": nil}
	if c.Name != "" {
		patch["name"] = c.Name
	}
	return c.change(cc, patch, "renamed")
}

type peopleBlock struct {
	personNamed `embed:""`
}

// Run blocks a person.
func (c *peopleBlock) Run(cc *command.Context) error {
	return c.change(cc, map[string]any{"blocked": true}, "blocked")
}

type peopleUnblock struct {
	personNamed `embed:""`
}

// Run unblocks a person.
func (c *peopleUnblock) Run(cc *command.Context) error {
	return c.change(cc, map[string]any{"blocked": false}, "unblocked")
}

type peopleToken struct {
	command.ClientFlags `embed:""`
	User                string        `arg:"" help:"Your program's own id of the user."`
	ExpiresIn           time.Duration `help:"Validity, up to 24h." default:"15m" placeholder:"DURATION"`
}

// Run issues a token. Only the token goes to the standard output.
func (c *peopleToken) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var issued api.PersonToken
	ask := map[string]any{"person": c.User, "expires_in": c.ExpiresIn.String()}
	if err := client.Call(cc, http.MethodPost, "/v1/people/tokens", ask, &issued); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, issued)
	}
	beside := command.Screen{Out: cc.Errors}
	beside.Line("%s, until %s:", issued.Person, command.ClockTime(issued.ExpiresAt))
	if _, err := fmt.Fprintln(cc.Out, issued.Token); err != nil {
		return fmt.Errorf("print the token: %w", err)
	}
	return nil
}
