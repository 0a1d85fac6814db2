package cli

import (
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/shorten"
)

type sessionsList struct {
	command.ClientFlags `embed:""`
	Type                string `help:"Only this type: CHAT, SEED, AUTOMATION or AGENT." enum:",CHAT,SEED,AUTOMATION,AGENT" default:""`
	Status              string `help:"Only this status: idle, queued, running, requires_action, waiting, suspended or ended." enum:",idle,queued,running,requires_action,waiting,suspended,ended" default:""`
	Query               string `help:"Part of the name." short:"q"`
	Limit               int    `help:"Maximum number of sessions, newest first." default:"50" short:"n"`
}

// Run prints the sessions.
func (c *sessionsList) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	query := url.Values{}
	for name, value := range map[string]string{"type": c.Type, "status": c.Status, "q": c.Query} {
		if value != "" {
			query.Set(name, value)
		}
	}
	sessions, err := remote.List[api.Session](cc, client, "/v1/sessions", query, c.Limit)
	if err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, sessions)
	}
	rows := make([][]string, len(sessions))
	for i, s := range sessions {
		name := shorten.Characters(s.Name, 50)
		rows[i] = []string{s.ID, string(s.Type), string(s.Status), string(s.Phase), command.ClockTime(s.LastEventTime), name}
	}
	return command.Table(cc.Out, []string{"ID", "TYPE", "STATUS", "PHASE", "LAST EVENT", "NAME"}, rows)
}

type sessionsWhy struct {
	command.ClientFlags `embed:""`
	Session             string `arg:"" help:"The session's id."`
}

// Run prints the server's explanation.
func (c *sessionsWhy) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var why api.Explanation
	if err := client.Call(cc, http.MethodGet, "/v1/sessions/"+url.PathEscape(c.Session)+"/explain", nil, &why); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, why)
	}
	s := command.Screen{Out: cc.Out}
	s.Line("%s: %s, in %s since %s", why.SessionID, why.Status, why.Phase, command.ClockTime(why.Since))
	s.Line("%s", why.Text)
	if problem := why.WaitingFor.LastError; problem != nil {
		s.Line("Last error: %s", *problem)
	}
	if answer := why.LatestAnswer; answer != nil {
		s.Line("%s: %s", answer.MessageID, answer.Text)
	}
	return nil
}
