package mcpserver

import (
	"context"
	"errors"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// longest is how long a tool waits for an answer; a client or a proxy may give up at 60 s.
const maxWait = 50 * time.Second

// beat is how often a client that wants to know is told that it is waited for.
const progressInterval = 10 * time.Second

// reader reads how things stand in the caller's workspace.
func (c *call) reader() *rounds.Reader {
	return &rounds.Reader{Record: c.Record, Approvals: c.Approvals, Workspace: c.identity.Workspace}
}

// moves are the events at which a round may be further than before.
var progressEvents = []string{
	string(domain.LogSessionPhase), string(domain.LogSessionStatus), string(domain.LogSessionEnded),
	string(domain.LogApprovalRequested), string(domain.LogApprovalSettled),
	string(domain.LogMessageCreated), string(domain.LogMessageUpdated), string(domain.LogMessageDeleted),
}

// wait follows a session until what was asked for is over, a person is asked, or the time is
// over. It gives how it stands then.
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

// drain takes the events that have come: the record says what they mean.
func drain(ctx context.Context, reader *stream.Reader) error {
	for more := true; more; {
		var err error
		if _, more, err = reader.Next(ctx); err != nil {
			return err //nolint:wrapcheck // told apart by its kind
		}
	}
	return nil
}

// lost says what became of a request whose stream has ended before it.
func streamError(err error) error {
	if errors.Is(err, stream.ErrStopped) || errors.Is(err, stream.ErrSlow) || errors.Is(err, stream.ErrReset) {
		return &domain.Error{
			Code: domain.CodeUnavailable, Outcome: domain.Applied, Err: err,
			Message: "What was sent is stored, and its answer will be. Send the same request again, or ask with get_session.",
		}
	}
	return err
}

// tell keeps a client that wants to know, and the proxies before it, from giving up.
func (c *call) notifyProgress(ctx context.Context, req *mcp.CallToolRequest, n float64) {
	if token := req.Params.GetProgressToken(); token != nil {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ // it may have gone
			ProgressToken: token, Progress: n, Message: "The session is working.",
		})
	}
}
