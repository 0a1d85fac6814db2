package rounds

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// mayEndRound reports whether the round may be over, or wait for a person, after an event. Only then
// the record is read; most events of a round do not require it.
func mayEndRound(e *api.Event, round string) bool {
	switch e.Name {
	case string(domain.LogSessionPhase):
		return e.Phase.Status != domain.StatusRunning || api.Value(e.Phase.RoundID) != round
	case string(domain.LogSessionStatus):
		return e.Session.Status != domain.StatusRunning
	case string(domain.LogMessageCreated):
		return e.Message.Sender == api.MessageSenderUSER && api.Value(e.Message.RoundID) != round
	case stream.EventDelta, stream.EventMessageSnapshot, stream.EventDiscarded, string(domain.LogUsageUpdated),
		string(domain.LogCommandPlanned), string(domain.LogCommandStarted), string(domain.LogCommandEnded):
		return false
	}
	return true
}

// ApprovalOf returns the approval of an event, with the fields that clients are shown.
func ApprovalOf(a *api.Approval) *domain.Approval {
	return &domain.Approval{
		ID: a.ID, Kind: a.Kind, Status: a.Status, SessionID: a.SessionID, Text: api.Value(a.Text),
		Actions: a.Actions, Module: a.Module, Decision: a.Decision,
	}
}

// nameOnly are the events of which only the name is used. Most are long, and decoding is the largest
// cost of following a round.
var nameOnly = map[string]bool{string(domain.LogCommandStarted): true, string(domain.LogNotice): true}

// nextEvents passes the next events to take. more reports that there are further ones.
func nextEvents(ctx context.Context, reader *stream.Reader, take func(*api.Event)) (more bool, err error) {
	events, more, err := reader.Next(ctx)
	if err != nil {
		return false, err //nolint:wrapcheck // callers distinguish errors by their kind
	}
	for _, sent := range events {
		e := &api.Event{Name: sent.Name}
		if !nameOnly[sent.Name] {
			if e, err = api.DecodeEvent(sent.Name, sent.Body); err != nil {
				return false, err
			}
		}
		take(e)
	}
	return more, nil
}

// heartbeat is the interval after which a comment is sent, so that proxies keep the connection open.
// The caller's access is checked each time.
const heartbeat = 15 * time.Second

// waitForEvents waits for events, or for the heartbeat interval: then it calls allowed, which returns an
// error once the caller has lost access, and heartbeatFn, which writes a comment.
func waitForEvents(ctx context.Context, reader *stream.Reader, allowed, heartbeatFn func() error) error {
	timer := time.NewTimer(heartbeat)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // the caller has disconnected, or lost access
	case <-reader.Ready():
		return nil
	case <-timer.C:
	}
	if err := allowed(); err != nil {
		return err
	}
	return heartbeatFn()
}

// CallerGone reports whether the caller has disconnected. It is false for a request that was ended
// because the caller lost access.
func CallerGone(ctx context.Context) bool {
	return ctx.Err() != nil && domain.ErrorCode(context.Cause(ctx)) == ""
}

// StreamError converts the error of a stream that ended before its round to one for the client, with
// advice on how to continue.
func StreamError(err error, advice string) error {
	if errors.Is(err, stream.ErrStopped) || errors.Is(err, stream.ErrSlow) || errors.Is(err, stream.ErrReset) {
		return &domain.Error{
			Code: domain.CodeUnavailable, Outcome: domain.Applied, Err: err,
			Message: "The message is stored, and its answer will be. " + advice,
		}
	}
	return err
}
