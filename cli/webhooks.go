package cli

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/api"
)

// webhooksCommand is about the addresses that are told of events.
type webhooksCommand struct {
	List       webhooksList       `cmd:"" default:"withargs" help:"List the webhooks, and which of them fail."`
	Add        webhooksAdd        `cmd:"" help:"Have events sent to an address; prints the secret that signs them, this once."`
	Test       webhooksTest       `cmd:"" help:"Send a message that is no event, and say what came of it."`
	Deliveries webhooksDeliveries `cmd:"" help:"List what a webhook was sent, and what became of it."`
	Replay     webhooksReplay     `cmd:"" help:"Send everything after an event's number again."`
	Rotate     webhooksRotate     `cmd:"" help:"Replace the secret; the old one signs too for a day."`
	Delete     webhooksDelete     `cmd:"" help:"Send nothing to an address any more."`
}

type webhooksList struct {
	clientFlags `embed:""`
}

// Run prints them.
func (c *webhooksList) Run(cc *Context) error {
	head := []string{"ID", "STATE", "SENT TO", "TYPES", "URL"}
	return printList(cc, &c.clientFlags, "/v1/webhooks", url.Values{}, everything, head, func(h *api.Webhook) []string {
		return []string{h.ID, webhookState(h), strconv.FormatInt(h.SentTo, 10), typesOf(h), h.URL}
	})
}

func typesOf(h *api.Webhook) string {
	names := make([]string, len(h.Types))
	for i, t := range h.Types {
		names[i] = string(t)
	}
	return strings.Join(names, ",")
}

// webhookState says whether what is sent arrives.
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
	URL         string   `arg:"" help:"Where the events go (https)."`
	Types       []string `arg:"" help:"Types of events, like approval.requested session.ended notice."`
}

// Run makes one. The secret alone goes to the output, so that it can be put into a file.
func (c *webhooksAdd) Run(cc *Context) error {
	return c.withSecret(cc, "/v1/webhooks", map[string]any{"url": c.URL, "types": c.Types})
}

// withSecret makes a call whose answer shows a secret, and prints it alone.
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
	beside.line("%s. The secret is shown this once:", h.ID)
	if h.Secret == nil {
		return nil
	}
	if _, err := fmt.Fprintln(cc.Out, *h.Secret); err != nil {
		return fmt.Errorf("print the secret: %w", err)
	}
	return nil
}

type webhooksTest struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"Its id."`
}

// Run tries it.
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
		(&screen{out: cc.Out}).line("it answered %d after %d ms", orZero(got.Status), got.LatencyMs)
	}
	if !got.Ok {
		return fmt.Errorf("the message did not arrive: %s", printable(orEmpty(got.Detail)))
	}
	return nil
}

type webhooksDeliveries struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"Its id."`
	State       string `help:"Only those that are delivered, retrying, failed or skipped." enum:"delivered,retrying,failed,skipped," default:""`
	Limit       int    `help:"How many, latest first." default:"20"`
}

// Run prints them.
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
	Webhook     string `arg:"" help:"Its id."`
	After       int64  `required:"" help:"The number of an event; what comes after it is sent."`
}

// Run begins it.
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
	(&screen{out: cc.Out}).line("sending %s everything after %d", h.ID, c.After)
	return nil
}

type webhooksRotate struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"Its id."`
}

// Run replaces the secret.
func (c *webhooksRotate) Run(cc *Context) error {
	return c.withSecret(cc, webhookPath(c.Webhook, "/rotate"), nil)
}

type webhooksDelete struct {
	clientFlags `embed:""`
	Webhook     string `arg:"" help:"Its id."`
}

// Run deletes it.
func (c *webhooksDelete) Run(cc *Context) error {
	client, err := c.client(cc)
	if err != nil {
		return err
	}
	if err := client.call(cc, http.MethodDelete, webhookPath(c.Webhook, ""), nil, nil); err != nil {
		return err
	}
	(&screen{out: cc.Out}).line("deleted %s", c.Webhook)
	return nil
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
