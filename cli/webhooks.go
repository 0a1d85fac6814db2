package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// webhooksCommand manages webhooks.
type webhooksCommand struct {
	List       webhooksList       `cmd:"" default:"withargs" help:"List the webhooks and their states."`
	Add        webhooksAdd        `cmd:"" help:"Create a webhook; prints its signing secret, which is not shown again."`
	Change     webhooksChange     `cmd:"" help:"Change a webhook: its event types, address, links to approvals, or whether it is enabled."`
	Show       webhooksShow       `cmd:"" help:"Show a webhook."`
	Test       webhooksTest       `cmd:"" help:"Send a test message and print the result."`
	Deliveries webhooksDeliveries `cmd:"" help:"List a webhook's deliveries and their results."`
	Replay     webhooksReplay     `cmd:"" help:"Send all events after a given number again."`
	Rotate     webhooksRotate     `cmd:"" help:"Replace the secret; the old one remains valid for a day."`
	Delete     webhooksDelete     `cmd:"" help:"Delete a webhook."`
}

type webhooksList struct {
	command.ClientFlags `embed:""`
}

// Run prints the webhooks.
func (c *webhooksList) Run(cc *command.Context) error {
	head := []string{"ID", "STATE", "SENT TO", "TYPES", "URL"}
	return command.PrintList(cc, &c.ClientFlags, "/v1/webhooks", url.Values{}, remote.Everything, head, func(h *api.Webhook) []string {
		return []string{h.ID, command.WebhookState(h), strconv.FormatInt(h.SentTo, 10), typesOf(h) + linksOf(h), h.URL}
	})
}

func typesOf(h *api.Webhook) string {
	names := make([]string, len(h.Types))
	for i, t := range h.Types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

type webhooksAdd struct {
	command.ClientFlags `embed:""`
	URL                 string   `arg:"" help:"Address to send events to (https)."`
	Types               []string `arg:"" help:"Event types, for example approval.requested session.ended notice."`
	Links               bool     `help:"Include a link to each approval in its message: anyone who has the link can answer that approval."`
}

// Run creates a webhook. Only the secret goes to the standard output, so that it can be redirected to a file.
func (c *webhooksAdd) Run(cc *command.Context) error {
	return withSecret(cc, &c.ClientFlags, "/v1/webhooks", map[string]any{"url": c.URL, "types": c.Types, "links": c.Links})
}

type webhooksChange struct {
	command.ClientFlags `embed:""`
	Webhook             string   `arg:"" help:"The webhook's id."`
	To                  string   `help:"New address to send events to (https)." placeholder:"URL"`
	Types               []string `help:"All event types to send; others are no longer sent."`
	Links               *bool    `negatable:"" help:"Include a link to each approval in its message: anyone who has the link can answer that approval."`
	Enable              *bool    `negatable:"" help:"Enable or disable the webhook."`
	From                string   `name:"file" short:"f" placeholder:"FILE" help:"File with the fields to change: url, types, links, enabled, in YAML or JSON; - reads the standard input."`
}

// Run applies the changes and displays the webhook. Flags override the file.
func (c *webhooksChange) Run(cc *command.Context) error {
	patch, err := c.patch(cc)
	if err != nil {
		return err
	}
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if c.From != "" { // values that are unchanged are not sent
		if err := client.Call(cc, http.MethodGet, webhookPath(c.Webhook, ""), nil, &h); err != nil {
			return err
		}
		if patch, err = command.Differing(patch, &h); err != nil {
			return err
		}
	}
	if len(patch) > 0 {
		h = api.Webhook{}
		if err := client.Call(cc, http.MethodPatch, webhookPath(c.Webhook, ""), patch, &h); err != nil {
			return err
		}
	}
	return showWebhook(cc, c.Output, &h)
}

func (c *webhooksChange) patch(cc *command.Context) (map[string]any, error) {
	patch := map[string]any{}
	if c.From != "" {
		ask, err := command.ReadDefinition(cc, c.From)
		if err != nil {
			return nil, err
		}
		if len(ask) == 0 {
			return nil, command.Misused(command.ErrEmptyDefinition)
		}
		patch = ask
	}
	if c.To != "" {
		patch["url"] = c.To
	}
	if len(c.Types) > 0 {
		patch["types"] = c.Types
	}
	if c.Links != nil {
		patch["links"] = *c.Links
	}
	if c.Enable != nil {
		patch["enabled"] = *c.Enable
	}
	if len(patch) == 0 {
		return nil, command.Misused(errors.New("nothing to change: use --to, --types, --links or --no-links, --enable or --no-enable, or --file"))
	}
	return patch, nil
}

// linksOf shows next to the types whether messages have links.
func linksOf(h *api.Webhook) string {
	if h.Links {
		return " with links"
	}
	return ""
}

// withSecret makes a request whose response contains a secret, and prints the secret alone.
func withSecret(cc *command.Context, f *command.ClientFlags, path string, in any) error {
	client, err := f.Client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if err := client.Call(cc, http.MethodPost, path, in, &h); err != nil {
		return err
	}
	if f.Output == "json" {
		return command.PrintJSON(cc.Out, h)
	}
	beside := command.Screen{Out: cc.Errors}
	beside.Line("%s. The secret is not shown again:", h.ID)
	if h.Secret == nil {
		return nil
	}
	if _, err := fmt.Fprintln(cc.Out, *h.Secret); err != nil {
		return fmt.Errorf("print the secret: %w", err)
	}
	return nil
}

// webhookNamed selects a webhook.
type webhookNamed struct {
	command.ClientFlags `embed:""`
	Webhook             string `arg:"" help:"The webhook's id or URL."`
}

func (c *webhookNamed) find(cc *command.Context) (*remote.Client, *api.Webhook, error) {
	client, err := c.Client(cc)
	if err != nil {
		return nil, nil, err
	}
	one, err := command.FindNamed(cc, client, "/v1/webhooks", c.Webhook, "webhook", "fermata webhooks",
		func(h *api.Webhook) (id, name string) { return h.ID, h.URL })
	return client, one, err
}

type webhooksShow struct{ webhookNamed }

// Run shows the webhook.
func (c *webhooksShow) Run(cc *command.Context) error {
	_, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return showWebhook(cc, c.Output, one)
}

func showWebhook(cc *command.Context, output string, h *api.Webhook) error {
	if output == "json" {
		return command.PrintJSON(cc.Out, h)
	}
	(&command.Screen{Out: cc.Out}).Line("%s: %s, %s%s, %s", h.ID, command.WebhookState(h), typesOf(h), linksOf(h), h.URL)
	return nil
}

type webhooksTest struct {
	command.ClientFlags `embed:""`
	Webhook             string `arg:"" help:"The webhook's id."`
}

// Run sends a test message.
func (c *webhooksTest) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var got api.WebhookTest
	if err := client.Call(cc, http.MethodPost, webhookPath(c.Webhook, "/test"), nil, &got); err != nil {
		return err
	}
	if c.Output == "json" {
		if err := command.PrintJSON(cc.Out, got); err != nil {
			return err
		}
	} else if got.Ok {
		(&command.Screen{Out: cc.Out}).Line("the receiver responded with %d after %d ms", orZero(got.Status), got.LatencyMs)
	}
	if !got.Ok {
		return fmt.Errorf("the message was not delivered: %s", command.Printable(orEmpty(got.Detail)))
	}
	return nil
}

type webhooksDeliveries struct {
	command.ClientFlags `embed:""`
	Webhook             string `arg:"" help:"The webhook's id."`
	State               string `help:"Only deliveries in this state: delivered, retrying, failed or skipped." enum:"delivered,retrying,failed,skipped," default:""`
	Limit               int    `help:"Maximum number of deliveries, newest first." default:"20"`
}

// Run prints the deliveries.
func (c *webhooksDeliveries) Run(cc *command.Context) error {
	query := url.Values{}
	if c.State != "" {
		query.Set("state", c.State)
	}
	head := []string{"SEQ", "STATE", "TYPE", "TRIES", "LAST", "NEXT", "DETAIL"}
	path := webhookPath(c.Webhook, "/deliveries")
	return command.PrintList(cc, &c.ClientFlags, path, query, c.Limit, head, func(d *api.WebhookDelivery) []string {
		kind, next := "", ""
		if d.Type != nil {
			kind = string(*d.Type)
		}
		if d.NextAt != nil {
			next = command.ClockTime(*d.NextAt)
		}
		return []string{
			strconv.FormatInt(d.Seq, 10), string(d.State), kind, strconv.Itoa(d.Tries), command.ClockTime(d.LastAt), next,
			orEmpty(d.Detail),
		}
	})
}

type webhooksReplay struct {
	command.ClientFlags `embed:""`
	Webhook             string `arg:"" help:"The webhook's id."`
	After               int64  `required:"" help:"Number of an event; all later events are sent."`
}

// Run starts the replay.
func (c *webhooksReplay) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if err := client.Call(cc, http.MethodPost, webhookPath(c.Webhook, "/replay"), map[string]any{"after": c.After}, &h); err != nil {
		return err
	}
	if c.Output == "json" {
		return command.PrintJSON(cc.Out, h)
	}
	(&command.Screen{Out: cc.Out}).Line("sending %s all events after %d", h.ID, c.After)
	return nil
}

type webhooksRotate struct {
	command.ClientFlags `embed:""`
	Webhook             string `arg:"" help:"The webhook's id."`
}

// Run replaces the secret.
func (c *webhooksRotate) Run(cc *command.Context) error {
	return withSecret(cc, &c.ClientFlags, webhookPath(c.Webhook, "/rotate"), nil)
}

type webhooksDelete struct{ webhookNamed }

// Run deletes the webhook.
func (c *webhooksDelete) Run(cc *command.Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return command.Delete(cc, client, c.Output, "/v1/webhooks", one.ID, one.URL)
}

func webhookPath(id, rest string) string { return "/v1/webhooks/" + url.PathEscape(id) + rest }

func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
