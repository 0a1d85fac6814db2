package rounds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// Event is what is decoded of an event of a session's stream.
type Event struct {
	MessageID string       `json:"message_id"`
	Kind      string       `json:"kind"`
	Offset    int          `json:"offset"`
	Text      string       `json:"text"`
	Phase     domain.Phase `json:"phase"`
	// Status is the status of a session.phase event.
	Status  domain.Status `json:"status"`
	RoundID string        `json:"round_id"`
	Message *struct {
		ID      string               `json:"id"`
		RoundID string               `json:"round_id"`
		Sender  domain.Sender        `json:"sender"`
		Status  domain.MessageStatus `json:"status"`
		Text    string               `json:"text_content"`
		AI      *struct {
			PreText string `json:"pre_text"`
		} `json:"ai_message"`
		Raw *struct {
			Thinking []domain.Thinking `json:"thinking"`
		} `json:"ai_raw"`
		System *struct {
			Type           domain.SystemType `json:"type"`
			CommandResults []struct {
				CallID string `json:"call_id"`
				Text   string `json:"text"`
			} `json:"command_results"`
		} `json:"system_message"`
	} `json:"message"`
	Session *struct {
		Name    string        `json:"name"`
		Status  domain.Status `json:"status"`
		Phase   domain.Phase  `json:"phase"`
		RoundID string        `json:"round_id"`
	} `json:"session"`
	Execution *struct {
		ID      string          `json:"id"`
		RoundID string          `json:"round_id"`
		Command string          `json:"command"`
		Params  json.RawMessage `json:"params"`
		Status  string          `json:"status"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	} `json:"execution"`
	Approval *struct {
		ID       string                  `json:"id"`
		Kind     string                  `json:"kind"`
		Status   string                  `json:"status"`
		Session  string                  `json:"session_id"`
		Text     string                  `json:"text"`
		Actions  []domain.ApprovalAction `json:"actions"`
		Module   *domain.Module          `json:"module"`
		Decision json.RawMessage         `json:"decision"`
	} `json:"approval"`
}

// MayEndRound reports whether the round may be over, or wait for a person, after an event. Only then
// the record is read; most events of a round do not require it.
func (e *Event) MayEndRound(name, round string) bool {
	switch name {
	case string(domain.LogSessionPhase):
		return e.Status != domain.StatusRunning || e.RoundID != round
	case string(domain.LogSessionStatus):
		return e.Session == nil || e.Session.Status != domain.StatusRunning
	case string(domain.LogMessageCreated):
		return e.Message == nil || e.Message.Sender == domain.SenderUser && e.Message.RoundID != round
	case stream.EventDelta, stream.EventMessageSnapshot, stream.EventDiscarded, string(domain.LogUsageUpdated),
		string(domain.LogCommandPlanned), string(domain.LogCommandStarted), string(domain.LogCommandEnded):
		return false
	}
	return true
}

// ApprovalData returns the approval of an event, with the decoded fields only; nil for none.
func (e *Event) ApprovalData() *domain.Approval {
	a := e.Approval
	if a == nil {
		return nil
	}
	return &domain.Approval{
		ID: a.ID, Kind: domain.ApprovalKind(a.Kind), Status: domain.ApprovalStatus(a.Status), SessionID: a.Session,
		Text: a.Text, Actions: a.Actions, Module: a.Module, Decision: a.Decision,
	}
}

// AnswerText returns the text that clients show of the AI message in an event.
func (e *Event) AnswerText() string {
	text := e.Message.Text
	if e.Message.AI != nil {
		text = e.Message.AI.PreText
	}
	if text == domain.InvalidFormatText {
		return ""
	}
	return text
}

// Reasoning returns the reasoning of the AI message in an event, as it is streamed: without breaks
// between its blocks.
func (e *Event) Reasoning() string {
	if e.Message.Raw == nil {
		return ""
	}
	var b strings.Builder
	for i := range e.Message.Raw.Thinking {
		b.WriteString(e.Message.Raw.Thinking[i].Text)
	}
	return b.String()
}

var (
	nameField = []byte("event: ")
	dataField = []byte("\ndata: ")
)

// nameOnly are the events of which only the name is used. Most are long, and decoding is the largest
// cost of following a round.
var nameOnly = map[string]bool{
	string(domain.LogUsageUpdated): true, string(domain.LogCommandStarted): true, string(domain.LogTaskChanged): true,
	string(domain.LogContextCompacted): true, string(domain.LogAnswersChanged): true, string(domain.LogNotice): true,
}

// ReadEvents passes the events up to now to take.
func ReadEvents(ctx context.Context, reader *stream.Reader, take func(name string, e *Event)) error {
	for more := true; more; {
		frames, further, err := reader.Next(ctx)
		if err != nil {
			return err //nolint:wrapcheck // callers distinguish errors by their kind
		}
		for _, frame := range frames {
			_, named, _ := bytes.Cut(frame, nameField)
			name, rest, _ := bytes.Cut(named, []byte{'\n'})
			rest = bytes.TrimPrefix(rest, dataField[1:])
			var e Event
			if nameOnly[string(name)] {
				take(string(name), &e)
				continue
			}
			if bytes.Contains(rest, dataField) {
				rest = bytes.ReplaceAll(rest, dataField, []byte{'\n'})
			}
			if err := json.Unmarshal(rest, &e); err != nil {
				return fmt.Errorf("read an event %s: %w", name, err)
			}
			take(string(name), &e)
		}
		more = further
	}
	return nil
}

// heartbeat is the interval after which a comment is sent, so that proxies keep the connection open.
// The caller's access is checked each time.
const heartbeat = 15 * time.Second

// Wait waits for events, or for the heartbeat interval: then it calls allowed, which returns an
// error once the caller has lost access, and heartbeatFn, which writes a comment.
func Wait(ctx context.Context, reader *stream.Reader, allowed, heartbeatFn func() error) error {
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
