package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// maxWait is how long a tool waits for an answer. Clients and proxies may have timeouts of 60 s.
const maxWait = 50 * time.Second

// progressInterval is how often a client that asked for progress is notified while it waits.
const progressInterval = 10 * time.Second

// reader returns a reader of the caller's workspace.
func (c *call) reader() *rounds.Reader {
	return &rounds.Reader{Record: c.Record, Approvals: c.Approvals, Workspace: c.identity.Workspace}
}

// progressEvents are the events after which the progress of a round may have changed.
var progressEvents = []string{
	string(domain.LogSessionPhase), string(domain.LogSessionStatus), string(domain.LogSessionEnded),
	string(domain.LogApprovalRequested), string(domain.LogApprovalSettled),
	string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted),
}

// wait follows a session until the round or run is over, waits for a person, or the time limit is
// reached, and returns its progress.
func (c *call) wait(ctx context.Context, req *mcp.CallToolRequest, session string, limit time.Duration,
	read func(context.Context) (*rounds.Progress, error)) (*rounds.Progress, error) {
	reader := c.Follow(stream.Filter{Workspace: c.identity.Workspace, Session: session, Types: progressEvents})
	defer reader.Close()
	end := time.NewTimer(limit)
	defer end.Stop()
	beats := time.NewTicker(progressInterval)
	defer beats.Stop()
	s, err := read(ctx)
	if err != nil || s.State != rounds.Working {
		return s, err
	}
	reader.Skip(s.Session.LastSeq)
	for count := 1.0; ; {
		if err := drain(ctx, reader); err != nil {
			return nil, streamError(err)
		}
		if s, err = read(ctx); err != nil || s.State != rounds.Working {
			return s, err
		}
		select {
		case <-c.r.Context().Done():
			return s, nil // the client has stopped waiting
		case <-end.C:
			return s, nil
		case <-beats.C:
			c.notifyProgress(ctx, req, count)
			count++
		case <-reader.Ready():
		}
	}
}

// drain skips the events up to now, because the progress is read from the record.
func drain(ctx context.Context, reader *stream.Reader) error {
	for more := true; more; {
		var err error
		if _, more, err = reader.Next(ctx); err != nil {
			return err //nolint:wrapcheck // callers distinguish errors by their kind
		}
	}
	return nil
}

// streamError converts the error of a stream that ended early to one for the client.
func streamError(err error) error {
	return rounds.StreamError(err, "Send the same request again, or read it with get_session.")
}

// notifyProgress notifies a client that asked for it, so that it and proxies do not time out.
func (c *call) notifyProgress(ctx context.Context, req *mcp.CallToolRequest, n float64) {
	if token := req.Params.GetProgressToken(); token != nil {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // the client may have disconnected
			ProgressToken: token, Progress: n, Message: "The session is working.",
		})
	}
}
