package cli

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// tailCommand shows events.
type tailCommand struct {
	command.ClientFlags `embed:""`
	Session             string   `help:"Only this session's events, including streaming answers." short:"s"`
	After               int64    `help:"Start after the event with this number; 0 is the start of the log." default:"-1"`
	Types               []string `help:"Only events of these types."`
	Deltas              bool     `help:"Also show the pieces of streaming answers (always with json)."`
}

// Run shows events until it is interrupted. It reconnects by the number of the last event, so that no event
// is lost or repeated.
func (c *tailCommand) Run(cc *command.Context) error {
	client, err := c.Client(cc)
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(cc.Context, os.Interrupt, syscall.SIGTERM)
	defer stop()
	f := &remote.Follower{Client: client, Path: "/v1/events", Cursor: c.After, Query: url.Values{}, Pause: client.Pause}
	if c.Session != "" {
		f.Path = "/v1/sessions/" + url.PathEscape(c.Session) + "/events"
	}
	for _, name := range c.Types {
		f.Query.Set("types", appendComma(f.Query.Get("types"), name))
	}
	f.Take = func(e remote.Event) error {
		if c.Output == "json" {
			return command.PrintEvent(cc, e)
		}
		if !c.Deltas && (e.Name == "message.delta" || e.Name == "message.snapshot") {
			return nil
		}
		return command.PrintEventLine(cc, e)
	}
	f.Lost = func(err error) { _, _ = fmt.Fprintf(cc.Errors, "fermata: %v; reconnecting\n", err) }
	err = f.Run(ctx)
	if ctx.Err() != nil && cc.Context.Err() == nil {
		return nil // Ctrl-C is the normal end
	}
	if cause := context.Cause(cc.Context); cause != nil {
		return nil
	}
	return err
}

func appendComma(list, item string) string {
	if list == "" {
		return item
	}
	return list + "," + item
}
