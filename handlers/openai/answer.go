package openai

import (
	"cmp"
	"context"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// answer follows the round of a request until it is over or waits for a person, and writes the
// completion.
func (a *completionRequest) answer(w http.ResponseWriter, r *http.Request, at *location) error {
	head := newCompletion(chatCompletion, a.request.Model, at.message, at.message.Timestamp)
	out := extra{SessionID: at.session, MessageID: at.message.ID, NewSession: at.newSessionReason, DepartedFrom: at.departedFrom}
	if a.request.Stream {
		a.stream(r, at, &chunks{Wire: rounds.Wire{W: w}, head: head, extra: out, usage: a.request.wantsUsage()})
		return nil
	}
	var text, reasoning strings.Builder
	merger := newTextMerger(func(s string) { text.WriteString(s) })
	rd := &round{message: at.message.ID, id: at.message.RoundID, sink: merger, onReasoning: func(s string) { reasoning.WriteString(s) }}
	var err error
	if out.openApproval, err = a.follow(r, at, rd, noSink{}); err != nil {
		if rd.final {
			w.Header().Set(shouldRetry, "false")
		}
		return err
	}
	content := text.String()
	message, reason := &wireMessOut{Role: roleAssistant, Content: &content, ReasoningContent: reasoning.String()}, finishReason(rd)
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

// sink is an output that is flushed after events, and gets heartbeats while it waits.
type sink interface {
	Flush() error
	WriteHeartbeat() error
}

// noSink is the sink of a response that is written at once.
type noSink struct{}

func (noSink) Flush() error          { return nil }
func (noSink) WriteHeartbeat() error { return nil }

// follow reads the events of a session until the round is over or waits for a person.
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
			answered = rd.approvalID // the events after the answer follow
			continue
		case rd.ended && rd.failure != "" && !rd.superseded && rd.id == failed:
			// It is retried as soon as the session has the slot.
		case rd.ended && rd.failure != "" && !rd.superseded && again && a.retry(ctx, at):
			again, failed = false, rd.id // one retry for each request
		case rd.ended && rd.approvalID == "":
			return nil, cmp.Or(rd.err(), a.describeRejected(ctx, a.identity.Workspace, rd))
		}
		if err := a.waitForEvents(ctx, out); err != nil {
			return nil, streamError(err)
		}
	}
}

// read handles the events up to now.
func (a *requestState) read(ctx context.Context, rd *round, out sink) error {
	for more := true; more && !rd.settled(); {
		var err error
		if more, err = rounds.NextEvents(ctx, a.reader, rd.handle); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// waitForEvents waits for events, or for the heartbeat interval.
func (a *requestState) waitForEvents(ctx context.Context, out sink) error {
	return rounds.Wait(ctx, a.reader, func() error { return a.Access.Still(ctx, a.identity) }, out.WriteHeartbeat)
}

// retry retries a failed round, because a client that repeats a request wants an answer. It reports
// false if the session is doing something else.
func (a *requestState) retry(ctx context.Context, at *location) bool {
	_, err := a.Door.RetrySession(ctx, a.identity.Workspace, at.session, domain.RetryRequest{By: a.identity.Author()})
	return err == nil || domain.ErrorCode(err) == domain.CodeWrongPhase
}

// err returns why there is no answer; nil if there is one.
func (r *round) err() error {
	switch {
	case r.withdrawn:
		return domain.Errorf(domain.CodeConflict, "The message was withdrawn while it was queued.")
	case r.failure != "":
		return domain.Errorf(domain.CodeProviderFailed, "%s", r.failure)
	}
	return nil
}

// streamError converts the error of a stream that ended before its round to one for the client.
func streamError(err error) error {
	return rounds.StreamError(err, "Send the same request again to get it.")
}
