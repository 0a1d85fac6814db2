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

// Event is what is read of an event of a session's stream.
type Event struct {
	MessageID string       `json:"message_id"`
	Kind      string       `json:"kind"`
	Offset    int          `json:"offset"`
	Text      string       `json:"text"`
	Phase     domain.Phase `json:"phase"`
	// Status is that of a phase.
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

// Moves says whether with an event a round may be over, or a person be asked: the record says
// what it has come to. Nearly all events of a round are none of these.
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

// Asked is the approval that an event is about, as far as it is read; nil for none.
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

// Said is what a client is shown of the message of the AI that an event brings.
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

// Thoughts returns the reasoning of the AI message in an event, as it is streamed: without breaks
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

// unread are the events of which doors need the name alone: most are long, and decoding is what
// following a round costs most.
var nameOnly = map[string]bool{
	string(domain.LogUsageUpdated): true, string(domain.LogCommandStarted): true, string(domain.LogTaskChanged): true,
	string(domain.LogContextCompacted): true, string(domain.LogAnswersChanged): true, string(domain.LogNotice): true,
}

// ReadEvents takes what has happened so far.
func ReadEvents(ctx context.Context, reader *stream.Reader, take func(name string, e *Event)) error {
	for more := true; more; {
		frames, further, err := reader.Next(ctx)
		if err != nil {
			return err //nolint:wrapcheck // told apart by its kind
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

// heartbeat keeps proxies from closing an answer that waits. At each one it is asked again whether
// the caller may still listen.
const heartbeat = 15 * time.Second

// Wait is until something has happened, or for the time of a heartbeat: then still says whether
// the caller may go on, and beat that somebody is there.
func Wait(ctx context.Context, reader *stream.Reader, allowed, heartbeatFn func() error) error {
	timer := time.NewTimer(heartbeat)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // the caller has gone, or may not go on
	case <-reader.Ready():
		return nil
	case <-timer.C:
	}
	if err := allowed(); err != nil {
		return err
	}
	return heartbeatFn()
}

// Gone says whether the caller has left: there is nobody to say anything to. A request that was ended because its
// caller may not go on says so.
func CallerGone(ctx context.Context) bool {
	return ctx.Err() != nil && domain.ErrorCode(context.Cause(ctx)) == ""
}

// Lost says what became of a round whose stream has ended before it, and what to do.
func StreamError(err error, advice string) error {
	if errors.Is(err, stream.ErrStopped) || errors.Is(err, stream.ErrSlow) || errors.Is(err, stream.ErrReset) {
		return &domain.Error{
			Code: domain.CodeUnavailable, Outcome: domain.Applied, Err: err,
			Message: "The message is stored, and its answer will be. " + advice,
		}
	}
	return err
}
