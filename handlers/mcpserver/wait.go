package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/rounds"
)

// maxWait is how long a tool waits for an answer. Clients and proxies may have timeouts of 60 s.
const maxWait = 50 * time.Second

// progressInterval is how often a client that asked for progress is notified while it waits.
const progressInterval = 10 * time.Second

// newRound returns a round of the caller, of which the tools write the result.
func (c *call) newRound() *rounds.Round {
	x := c.Round(c.identity)
	x.ResultOnly = true
	return x
}

// roundOf returns the round of a message; without one, the run of a session.
func (c *call) roundOf(session, message string) *rounds.Round {
	x := c.newRound()
	x.Found = rounds.Found{Session: session, Message: message}
	return x
}

// wait follows a round or a run until it is over, waits for a person, or the time limit is reached, and
// returns its progress.
func (c *call) wait(ctx context.Context, req *mcp.CallToolRequest, x *rounds.Round, limit time.Duration) (*rounds.Progress, error) {
	defer x.Close()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	gone := c.r.Context() // the SDK ends ctx with it only in the newer revision
	defer context.AfterFunc(gone, func() { stop(context.Cause(gone)) })()
	beats := 0.0
	s, err := x.Result(ctx, rounds.Patience{Limit: limit, Interval: progressInterval, Beat: func() {
		beats++
		c.notifyProgress(ctx, req, beats)
	}})
	return s, rounds.StreamError(err, "Send the same request again, or read it with get_session.")
}

// notifyProgress notifies a client that asked for it, so that it and proxies do not time out.
func (c *call) notifyProgress(ctx context.Context, req *mcp.CallToolRequest, n float64) {
	if token := req.Params.GetProgressToken(); token != nil {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // the client may have disconnected
			ProgressToken: token, Progress: n, Message: "The session is working.",
		})
	}
}
