package cli

import (
	"fmt"
	"net/http"
	"net/url"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// sessionsCommand lists sessions and changes their record.
type sessionsCommand struct {
	List   sessionsList   `cmd:"" default:"withargs" help:"List sessions."`
	Retry  sessionsRetry  `cmd:"" help:"Run the last round of a chat again."`
	Choose sessionsChoose `cmd:"" help:"Make an earlier answer of the last round the current one."`
	Fork   sessionsFork   `cmd:"" help:"Continue from a message, or from the end of a run, in a new chat."`
	Why    sessionsWhy    `cmd:"" help:"Explain what a session waits for, and which files the AI was given."`
}

type sessionsRetry struct {
	command.ClientFlags `embed:""`
	Session             string `arg:"" help:"The session's id."`
	Provider            string `help:"Id of the provider to use for this answer."`
	Model               string `help:"Model to use for this answer."`
	Message             string `help:"Replacement for the question." short:"m"`
	DespiteEffects      bool   `help:"Run it again even if its answers have changed something; the changes stay."`
}

// Run starts the round and prints the session's status.
func (c *sessionsRetry) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	ask := map[string]any{}
	for name, value := range map[string]string{"provider_id": c.Provider, "model": c.Model, "message": c.Message} {
		if value != "" {
			ask[name] = value
		}
	}
	if c.DespiteEffects {
		ask["despite_effects"] = true
	}
	return steered(cc, client, c.Output, "/v1/sessions/"+url.PathEscape(c.Session)+"/retry", ask)
}

type sessionsChoose struct {
	command.ClientFlags `embed:""`
	Session             string `arg:"" help:"The session's id."`
	Message             string `arg:"" help:"A message of the answer."`
}

// Run chooses the answer and prints the session's status.
func (c *sessionsChoose) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	path := "/v1/sessions/" + url.PathEscape(c.Session) + "/messages/" + url.PathEscape(c.Message) + "/choose"
	return steered(cc, client, c.Output, path, nil)
}

// steered sends a request about a session, and prints its new status.
func steered(cc *command.Context, client *remote.Client, output, path string, body any) error {
	var result api.SessionResult
	if err := client.Call(cc, http.MethodPost, path, body, &result); err != nil {
		return err
	}
	if output == "json" {
		return command.PrintJSON(cc.Out, result)
	}
	_, err := fmt.Fprintf(cc.Out, "%s: %s, in %s\n", result.Session.ID, result.Session.Status, result.Session.Phase)
	return err
}

type sessionsFork struct {
	command.ClientFlags `embed:""`
	Session             string `arg:"" help:"Id of the chat or run."`
	After               string `help:"Last message that both have in common; default: the newest one."`
	Name                string `help:"Name; default: that of the session."`
	Provider            string `help:"Id of the provider; default: that of the session."`
	Message             string `help:"Message to send in the new chat." short:"m"`
}

// Run creates the chat and prints its id.
func (c *sessionsFork) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	path := "/v1/sessions/" + url.PathEscape(c.Session)
	if c.After == "" {
		if c.After, err = newestMessage(cc, client, path); err != nil {
			return err
		}
	}
	ask := map[string]any{"after_message_id": c.After}
	for name, value := range map[string]string{"name": c.Name, "provider_id": c.Provider, "message": c.Message} {
		if value != "" {
			ask[name] = value
		}
	}
	var made api.Session
	if err := client.Call(cc, http.MethodPost, path+"/fork", ask, &made); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, made)
	}
	_, err = fmt.Fprintln(cc.Out, made.ID)
	return err
}

// newestMessage is the id of the newest message.
func newestMessage(cc *command.Context, client *remote.Client, path string) (string, error) {
	var page api.MessageList
	if err := client.Call(cc, http.MethodGet, path+"/messages?order=desc&limit=200", nil, &page); err != nil {
		return "", err
	}
	for _, m := range page.Data {
		if m.Seq != nil {
			return m.ID, nil
		}
	}
	return "", fmt.Errorf("the session has no message to continue from")
}
