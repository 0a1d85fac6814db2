package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
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
	clientFlags `embed:""`
}

// Run prints the webhooks.
func (c *webhooksList) Run(cc *Context) error {
	head := []string{"ID", "STATE", "SENT TO", "TYPES", "URL"}
	return printList(cc, &c.clientFlags, "/v1/webhooks", url.Values{}, everything, head, func(h *api.Webhook) []string {
		return []string{h.ID, webhookState(h), strconv.FormatInt(h.SentTo, 10), typesOf(h) + linksOf(h), h.URL}
	})
}

func typesOf(h *api.Webhook) string {
	names := make([]string, len(h.Types))
	for i, t := range h.Types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// webhookState shows whether deliveries succeed.
func webhookState(h *api.Webhook) string {
	switch {
	case h.DisabledReason != nil:
		return "disabled (" + *h.DisabledReason + ")"
	case !h.Enabled:
		return "disabled"
	case h.FailingSince != nil:
		return "failing since " + clockTime(*h.FailingSince)
	default:
		return "good"
	}
}

func (c *client) webhooks(cc *Context) ([]api.Webhook, error) {
	return list[api.Webhook](cc, c, "/v1/webhooks", url.Values{}, everything)
}

type webhooksAdd struct {
	clientFlags `embed:""`
	URL         string   `arg:"" help:"Address to send events to (https)."`
	Types       []string `arg:"" help:"Event types, for example approval.requested session.ended notice."`
	Links       bool     `help:"Include a link to each approval in its message: anyone who has the link can answer that approval."`
}

// Run creates a webhook. Only the secret goes to the standard output, so that it can be redirected to a file.
func (c *webhooksAdd) Run(cc *Context) error {
	return c.withSecret(cc, "/v1/webhooks", map[string]any{"url": c.URL, "types": c.Types, "links": c.Links})
}

type webhooksChange struct {
	clientFlags `embed:""`
	Webhook     string   `arg:"" help:"The webhook's id."`
	To          string   `help:"New address to send events to (https)." placeholder:"URL"`
	Types       []string `help:"All event types to send; others are no longer sent."`
	Links       *bool    `negatable:"" help:"Include a link to each approval in its message: anyone who has the link can answer that approval."`
	Enable      *bool    `negatable:"" help:"Enable or disable the webhook."`
	From        string   `name:"file" short:"f" placeholder:"FILE" help:"File with the fields to change: url, types, links, enabled, in YAML or JSON; - reads the standard input."`
}

// Run applies the changes and displays the webhook. Flags override the file.
func (c *webhooksChange) Run(cc *Context) error {
	patch, err := c.patch(cc)
	if err != nil {
		return err
	}
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if c.From != "" { // values that are unchanged are not sent
		if err := client.call(cc, http.MethodGet, webhookPath(c.Webhook, ""), nil, &h); err != nil {
			return err
		}
		if patch, err = differing(patch, &h); err != nil {
			return err
		}
	}
	if len(patch) > 0 {
		h = api.Webhook{}
		if err := client.call(cc, http.MethodPatch, webhookPath(c.Webhook, ""), patch, &h); err != nil {
			return err
		}
	}
	return showWebhook(cc, c.Output, &h)
}

func (c *webhooksChange) patch(cc *Context) (map[string]any, error) {
	patch := map[string]any{}
	if c.From != "" {
		ask, err := readDefinition(cc, c.From)
		if err != nil {
			return nil, err
		}
		if len(ask) == 0 {
			return nil, usageError{errEmptyDefinition}
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
		return nil, usageError{errors.New("nothing to change: use --to, --types, --links or --no-links, --enable or --no-enable, or --file")}
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
func (f *clientFlags) withSecret(cc *Context, path string, in any) error {
	client, err := f.client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if err := client.call(cc, http.MethodPost, path, in, &h); err != nil {
		return err
	}
	if f.Output == "json" {
		return printJSON(cc.Out, h)
	}
	beside := screen{out: cc.Errors}
	beside.line("%s. The secret is not shown again:", h.ID)
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
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"The webhook's id or URL."`
}

func (c *webhookNamed) find(cc *Context) (*client, *api.Webhook, error) {
	client, err := c.client(cc)
	if err != nil {
		return nil, nil, err
	}
	one, err := findNamed(cc, client, "/v1/webhooks", c.Webhook, "webhook", "fermata webhooks",
		func(h *api.Webhook) (id, name string) { return h.ID, h.URL })
	return client, one, err
}

type webhooksShow struct{ webhookNamed }

// Run shows the webhook.
func (c *webhooksShow) Run(cc *Context) error {
	_, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return showWebhook(cc, c.Output, one)
}

func showWebhook(cc *Context, output string, h *api.Webhook) error {
	if output == "json" {
		return printJSON(cc.Out, h)
	}
	(&screen{out: cc.Out}).line("%s: %s, %s%s, %s", h.ID, webhookState(h), typesOf(h), linksOf(h), h.URL)
	return nil
}

type webhooksTest struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"The webhook's id."`
}

// Run sends a test message.
func (c *webhooksTest) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	var got api.WebhookTest
	if err := client.call(cc, http.MethodPost, webhookPath(c.Webhook, "/test"), nil, &got); err != nil {
		return err
	}
	if c.Output == "json" {
		if err := printJSON(cc.Out, got); err != nil {
			return err
		}
	} else if got.Ok {
		(&screen{out: cc.Out}).line("the receiver responded with %d after %d ms", orZero(got.Status), got.LatencyMs)
	}
	if !got.Ok {
		return fmt.Errorf("the message was not delivered: %s", printable(orEmpty(got.Detail)))
	}
	return nil
}

type webhooksDeliveries struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"The webhook's id."`
	State       string `help:"Only deliveries in this state: delivered, retrying, failed or skipped." enum:"delivered,retrying,failed,skipped," default:""`
	Limit       int    `help:"Maximum number of deliveries, newest first." default:"20"`
}

// Run prints the deliveries.
func (c *webhooksDeliveries) Run(cc *Context) error {
	query := url.Values{}
	if c.State != "" {
		query.Set("state", c.State)
	}
	head := []string{"SEQ", "STATE", "TYPE", "TRIES", "LAST", "NEXT", "DETAIL"}
	path := webhookPath(c.Webhook, "/deliveries")
	return printList(cc, &c.clientFlags, path, query, c.Limit, head, func(d *api.WebhookDelivery) []string {
		kind, next := "", ""
		if d.Type != nil {
			kind = string(*d.Type)
		}
		if d.NextAt != nil {
			next = clockTime(*d.NextAt)
		}
		return []string{
			strconv.FormatInt(d.Seq, 10), string(d.State), kind, strconv.Itoa(d.Tries), clockTime(d.LastAt), next, orEmpty(d.Detail),
		}
	})
}

type webhooksReplay struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"The webhook's id."`
	After       int64  `required:"" help:"Number of an event; all later events are sent."`
}

// Run starts the replay.
func (c *webhooksReplay) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	var h api.Webhook
	if err := client.call(cc, http.MethodPost, webhookPath(c.Webhook, "/replay"), map[string]any{"after": c.After}, &h); err != nil {
		return err
	}
	if c.Output == "json" {
		return printJSON(cc.Out, h)
	}
	(&screen{out: cc.Out}).line("sending %s all events after %d", h.ID, c.After)
	return nil
}

type webhooksRotate struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"The webhook's id."`
}

// Run replaces the secret.
func (c *webhooksRotate) Run(cc *Context) error {
	return c.withSecret(cc, webhookPath(c.Webhook, "/rotate"), nil)
}

type webhooksDelete struct{ webhookNamed }

// Run deletes the webhook.
func (c *webhooksDelete) Run(cc *Context) error {
	client, one, err := c.find(cc)
	if err != nil {
		return err
	}
	return deleted(cc, client, c.Output, "/v1/webhooks", one.ID, one.URL)
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
