package openai

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// answer follows the round of a request to its end, or to where it waits for a person.
func (a *completionRequest) answer(w http.ResponseWriter, r *http.Request, at *location) error {
	head := newCompletion(chatCompletion, a.request.Model, at.message, at.message.Timestamp)
	out := extra{SessionID: at.session, MessageID: at.message.ID, NewSession: at.newSessionReason, DepartedFrom: at.departedFrom}
	if a.request.Stream {
		a.stream(r, at, &chunks{Wire: rounds.Wire{W: w}, head: head, extra: out, usage: a.request.wantsUsage()})
		return nil
	}
	var text, thoughts strings.Builder
	told := &textMerger{emit: func(s string) { text.WriteString(s) }}
	rd := &round{message: at.message.ID, id: at.message.RoundID, sink: told, onReasoning: func(s string) { thoughts.WriteString(s) }}
	var err error
	if out.openApproval, err = a.follow(r, at, rd, noSink{}); err != nil {
		if rd.final {
			w.Header().Set(shouldRetry, "false")
		}
		return err
	}
	content := text.String()
	message, reason := &wireMessOut{Role: roleAssistant, Content: &content, ReasoningContent: thoughts.String()}, finishReason(rd)
	content = joined(content, rd.notice)
	switch {
	case out.forClient():
		if message.ToolCalls, reason = out.calls(false), &toolCalls; content == "" {
			message.Content = nil
		}
		out.openApproval = nil
	case out.openApproval != nil:
		content = joined(content, out.text)
	}
	head.Choices = []choice{{Message: message, FinishReason: reason}}
	head.Usage, head.Fermata = usageOf(rd.usage), &out
	writeJSON(w, &head)
	return nil
}

// sink is told when to send what it was given, and when nothing has come for a while.
type sink interface {
	Flush() error
	WriteHeartbeat() error
}

// kept is the sink of an answer that is sent whole.
type noSink struct{}

func (noSink) Flush() error          { return nil }
func (noSink) WriteHeartbeat() error { return nil }

// follow reads the events of a session until the round is over, or a person is asked.
func (a *requestState) follow(r *http.Request, at *location, rd *round, out sink) (*openApproval, error) {
	ctx, again, failed, answered := r.Context(), at.repeated, "", ""
	if at.stored {
		a.reader.Behind(at.after)
	} else if err := a.reader.Seek(ctx, at.after); err != nil {
		return nil, streamError(err)
	}
	for {
		if err := a.read(ctx, rd, out); err != nil {
			return nil, streamError(err)
		}
		switch {
		case rd.ended && rd.approvalID != "" && rd.approvalID != answered:
			ask, err := a.openApproval(ctx, r, rd)
			if ask != nil || err != nil {
				return ask, err
			}
			answered = rd.approvalID // what comes of it is on its way
			continue
		case rd.ended && rd.failure != "" && !rd.superseded && rd.id == failed:
			// It begins as soon as the session has the slot.
		case rd.ended && rd.failure != "" && !rd.superseded && again && a.retry(ctx, at):
			again, failed = false, rd.id // once for each request
		case rd.ended && rd.approvalID == "":
			return nil, cmp.Or(rd.err(), a.describeRejected(ctx, a.identity.Workspace, rd))
		}
		if err := a.waitForEvents(ctx, out); err != nil {
			return nil, streamError(err)
		}
	}
}

// read takes what has happened so far.
func (a *requestState) read(ctx context.Context, rd *round, out sink) error {
	for more := true; more && !rd.settled(); {
		frames, further, err := a.reader.Next(ctx)
		if err != nil {
			return err //nolint:wrapcheck // told apart by its kind
		}
		for _, frame := range frames {
			e, err := readEvent(frame)
			if err != nil {
				return err
			}
			if e != nil {
				rd.handle(e)
			}
		}
		if more = further; len(frames) > 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait is until something has happened, or for the time of a heartbeat.
func (a *requestState) waitForEvents(ctx context.Context, out sink) error {
	return rounds.Wait(ctx, a.reader, func() error { return a.Access.Still(ctx, a.identity) }, out.WriteHeartbeat)
}

// retried has a round run again that failed: who repeats a request wants an answer to it. It
// says no when the session is at something else.
func (a *requestState) retry(ctx context.Context, at *location) bool {
	_, err := a.Door.RetrySession(ctx, a.identity.Workspace, at.session, domain.RetryRequest{By: a.identity.Author()})
	return err == nil || domain.ErrorCode(err) == domain.CodeWrongPhase
}

// err is why there is no answer; nil if there is one.
func (r *round) err() error {
	switch {
	case r.withdrawn:
		return domain.Errorf(domain.CodeConflict, "The message was withdrawn before its turn came.")
	case r.failure != "":
		return domain.Errorf(domain.CodeProviderFailed, "%s", r.failure)
	}
	return nil
}

// lost says what became of a request whose stream has ended before it.
func streamError(err error) error {
	if errors.Is(err, stream.ErrStopped) || errors.Is(err, stream.ErrSlow) || errors.Is(err, stream.ErrReset) {
		return &domain.Error{
			Code: domain.CodeUnavailable, Outcome: domain.Applied, Err: err,
			Message: "The message is stored, and its answer will be. Send the same request again to get it.",
		}
	}
	return err
}
