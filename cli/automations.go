package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// automationsCommand manages automations.
type automationsCommand struct {
	List    automationsList    `cmd:"" default:"withargs" help:"List automations."`
	Run     automationsRun     `cmd:"" help:"Run an automation now, and wait for its end."`
	Enable  automationsEnable  `cmd:"" help:"Enable its schedule and triggers."`
	Disable automationsDisable `cmd:"" help:"Disable its schedule and triggers; people can still run it."`
	Export  automationsExport  `cmd:"" help:"Write automations as YAML or JSON, without their grants."`
	Import  automationsImport  `cmd:"" help:"Create automations from a file, or change those with the same names."`
}

type automationsList struct {
	command.ClientFlags `embed:""`
	Enabled             string `help:"Only enabled (true) or disabled (false) ones." enum:",true,false" default:""`
}

// Run prints the automations.
func (c *automationsList) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	all, err := allAutomations(cc, client, c.Enabled)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = automationRow(&all[i])
	}
	return command.Table(cc.Out, []string{"ID", "STATE", "NEXT RUN", "STARTED BY", "NAME"}, rows)
}

func automationRow(a *api.Automation) []string {
	state, next := "enabled", ""
	switch {
	case a.DisabledReason != nil:
		state = "disabled: " + *a.DisabledReason
	case !a.Enabled:
		state = "disabled"
	}
	if a.NextRunAt != nil {
		next = command.ClockTime(*a.NextRunAt)
	}
	var by []string
	if a.Schedule != nil {
		by = append(by, a.Schedule.Expression+" "+a.Schedule.TimeZone)
	}
	for _, t := range a.Triggers {
		by = append(by, t.Type)
	}
	return []string{a.ID, state, next, strings.Join(by, ", "), shorten.Characters(a.Name, 50)}
}

// allAutomations reads all automations.
func allAutomations(cc *command.Context, c *remote.Client, enabled string) ([]api.Automation, error) {
	query := url.Values{}
	if enabled != "" {
		query.Set("enabled", enabled)
	}
	return remote.List[api.Automation](cc, c, "/v1/automations", query, remote.Everything)
}

// automationCalled finds an automation by its id or name; nil if there is none.
func automationCalled(all []api.Automation, name string) (*api.Automation, error) {
	var found *api.Automation
	for i := range all {
		a := &all[i]
		if a.ID == name {
			return a, nil
		}
		if a.Name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two automations are named %q: %s and %s; use an id", name, found.ID, a.ID)
		}
		found = a
	}
	return found, nil
}

// oneAutomation selects an automation.
type oneAutomation struct {
	command.ClientFlags `embed:""`
	Automation          string `arg:"" help:"The automation's id or name."`
}

func (c *oneAutomation) find(cc *command.Context) (*remote.Client, *api.Automation, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := allAutomations(cc, client, "")
	if err != nil {
		return nil, nil, err
	}
	a, err := automationCalled(all, c.Automation)
	if err == nil && a == nil {
		err = fmt.Errorf("there is no automation %q; list them with: fermata automations list", c.Automation)
	}
	return client, a, err
}

type automationsEnable struct {
	oneAutomation `embed:""`
}

// Run enables the automation.
func (c *automationsEnable) Run(cc *command.Context) error { return c.setState(cc, "enable") }

type automationsDisable struct {
	oneAutomation `embed:""`
}

// Run disables the automation.
func (c *automationsDisable) Run(cc *command.Context) error { return c.setState(cc, "disable") }

func (c *oneAutomation) setState(cc *command.Context, verb string) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.Call(cc, http.MethodPost, "/v1/automations/"+a.ID+"/"+verb, struct{}{}, a); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, a)
	}
	_, err = fmt.Fprintf(cc.Out, "%s: %sd\n", a.ID, verb)
	return err
}

type automationsRun struct {
	oneAutomation `embed:""`
	Detach        bool `help:"Start it without waiting for its end."`
}

// errRunEnded stops following a run.
var errRunEnded = errors.New("the run has ended")

// Run starts a run and shows its events. A run that does not end with COMPLETED is an error, so that
// scripts notice it.
func (c *automationsRun) Run(cc *command.Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	var started api.ActivationResult
	if err := client.Call(cc, http.MethodPost, "/v1/automations/"+a.ID+"/execute", nil, &started); err != nil {
		return err
	}
	if c.Detach {
		if c.Output == "json" {
			return command.PrintJSON(cc.Out, started)
		}
		_, err := fmt.Fprintf(cc.Out, "%s: %s\n", started.Session.ID, strings.ToLower(string(started.Result)))
		return err
	}
	if err := c.follow(cc, client, started.Session.ID); err != nil {
		return err
	}
	run, err := runOf(cc, client, a.ID, started.Session.ID)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		err = command.PrintJSON(cc.Out, run)
	} else if run.FinalText != nil {
		_, err = fmt.Fprintln(cc.Out, command.Printable(*run.FinalText))
	}
	if err == nil && run.EndReason != nil && *run.EndReason != api.EndCompleted {
		err = fmt.Errorf("the run %s ended with %s; see: fermata tail --session %s --after 0", run.SessionID,
			*run.EndReason, run.SessionID)
	}
	return err
}

// follow shows a session's events until it ends.
func (c *automationsRun) follow(cc *command.Context, client *remote.Client, session string) error {
	f := &remote.Follower{Client: client, Path: "/v1/sessions/" + session + "/events", Cursor: 0, Query: url.Values{}, Pause: client.Pause}
	f.Take = func(e remote.Event) error {
		if c.Output != "json" && e.Name != "message.delta" && e.Name != "message.snapshot" {
			if err := command.PrintEventLine(cc, e); err != nil {
				return err
			}
		}
		if e.Name == "session.ended" {
			return errRunEnded
		}
		return nil
	}
	f.Lost = func(err error) { _, _ = fmt.Fprintf(cc.Errors, "fermata: %v; reconnecting\n", err) }
	if err := f.Run(cc); !errors.Is(err, errRunEnded) {
		return err
	}
	return nil
}

// runOf finds a run among the newest of the automation's history.
func runOf(cc *command.Context, c *remote.Client, automation, session string) (*api.AutomationRun, error) {
	var page api.AutomationRunList
	if err := c.Call(cc, http.MethodGet, "/v1/automations/"+automation+"/executions?limit=200", nil, &page); err != nil {
		return nil, err
	}
	for i := range page.Data {
		if page.Data[i].SessionID == session {
			return &page.Data[i], nil
		}
	}
	return nil, fmt.Errorf("the run %s is not in the history of its automation; was it deleted?", session)
}
