package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/api"
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
	clientFlags `embed:""`
	Enabled     string `help:"Only enabled (true) or disabled (false) ones." enum:",true,false" default:""`
}

// Run prints the automations.
func (c *automationsList) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	all, err := client.automations(cc, c.Enabled)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = automationRow(&all[i])
	}
	return table(cc.Out, []string{"ID", "STATE", "NEXT RUN", "STARTED BY", "NAME"}, rows)
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
		next = clockTime(*a.NextRunAt)
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

// automations reads all automations.
func (c *client) automations(cc *Context, enabled string) ([]api.Automation, error) {
	query := url.Values{}
	if enabled != "" {
		query.Set("enabled", enabled)
	}
	return list[api.Automation](cc, c, "/v1/automations", query, everything)
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
	clientFlags `embed:""`
	Automation  string `arg:"" help:"The automation's id or name."`
}

func (c *oneAutomation) find(cc *Context) (*client, *api.Automation, error) {
	client, err := c.client(cc)
	if err != nil {
		return nil, nil, err
	}
	all, err := client.automations(cc, "")
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
func (c *automationsEnable) Run(cc *Context) error { return c.setState(cc, "enable") }

type automationsDisable struct {
	oneAutomation `embed:""`
}

// Run disables the automation.
func (c *automationsDisable) Run(cc *Context) error { return c.setState(cc, "disable") }

func (c *oneAutomation) setState(cc *Context, verb string) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	if err := client.call(cc, http.MethodPost, "/v1/automations/"+a.ID+"/"+verb, struct{}{}, a); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, a)
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
func (c *automationsRun) Run(cc *Context) error {
	client, a, err := c.find(cc)
	if err != nil {
		return err
	}
	var started api.ActivationResult
	if err := client.call(cc, http.MethodPost, "/v1/automations/"+a.ID+"/execute", nil, &started); err != nil {
		return err
	}
	if c.Detach {
		if c.Output == "json" {
			return printJSON(cc.Out, started)
		}
		_, err := fmt.Fprintf(cc.Out, "%s: %s\n", started.Session.ID, strings.ToLower(string(started.Result)))
		return err
	}
	if err := c.follow(cc, client, started.Session.ID); err != nil {
		return err
	}
	run, err := client.runOf(cc, a.ID, started.Session.ID)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		err = printJSON(cc.Out, run)
	} else if run.FinalText != nil {
		_, err = fmt.Fprintln(cc.Out, printable(*run.FinalText))
	}
	if err == nil && run.EndReason != nil && *run.EndReason != api.EndCompleted {
		err = fmt.Errorf("the run %s ended with %s; see: fermata tail --session %s --after 0", run.SessionID,
			*run.EndReason, run.SessionID)
	}
	return err
}

// follow shows a session's events until it ends.
func (c *automationsRun) follow(cc *Context, client *client, session string) error {
	f := &follower{client: client, path: "/v1/sessions/" + session + "/events", cursor: 0, query: url.Values{}, pause: client.pause}
	f.take = func(e sseEvent) error {
		if c.Output != "json" && e.Name != "message.delta" && e.Name != "message.snapshot" {
			if err := printEventLine(cc, e); err != nil {
				return err
			}
		}
		if e.Name == "session.ended" {
			return errRunEnded
		}
		return nil
	}
	f.lost = func(err error) { _, _ = fmt.Fprintf(cc.Errors, "fermata: %v; reconnecting\n", err) }
	if err := f.run(cc); !errors.Is(err, errRunEnded) {
		return err
	}
	return nil
}

// runOf finds a run among the newest of the automation's history.
func (c *client) runOf(cc *Context, automation, session string) (*api.AutomationRun, error) {
	var page api.AutomationRunList
	if err := c.call(cc, http.MethodGet, "/v1/automations/"+automation+"/executions?limit=200", nil, &page); err != nil {
		return nil, err
	}
	for i := range page.Data {
		if page.Data[i].SessionID == session {
			return &page.Data[i], nil
		}
	}
	return nil, fmt.Errorf("the run %s is not in the history of its automation; was it deleted?", session)
}

// plainData converts a value to its JSON form: objects, lists, strings, numbers.
func plainData(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return wholeNumbers(plain), nil
}

// wholeNumbers converts whole floats to integers: YAML writes 1e+06 for a float.
func wholeNumbers(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v)
		}
	case map[string]any:
		for name, field := range v {
			v[name] = wholeNumbers(field)
		}
	case []any:
		for i, item := range v {
			v[i] = wholeNumbers(item)
		}
	}
	return value
}
