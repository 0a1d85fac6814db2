package agui

import (
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// stream follows the round of a run until it is over or waits for a person. A run that was begun
// before is written from its beginning, and replaces the client's copy of it.
func (x *run) stream(r *http.Request, out *writer) error {
	ctx := r.Context()
	at, err := x.Start(ctx)
	if err != nil {
		return x.refuse(out, rounds.StreamError(err, resendAdvice))
	}
	out.start()
	out.state(at)
	if x.Found.Repeated {
		out.snapshot()
	}
	f := &follower{writer: out, run: x}
	switch at, err = x.Follow(ctx, f); {
	case err == nil:
		x.end(f, at)
	case !rounds.CallerGone(ctx):
		out.fail(x.Failure(rounds.StreamError(err, resendAdvice)))
	}
	return nil
}

// end writes the end of a run.
func (x *run) end(f *follower, at *rounds.Progress) {
	out := f.writer
	out.state(at)
	switch at.State {
	case rounds.Failed:
		out.fail(x.Failure(domain.Errorf(domain.CodeProviderFailed, "%s", at.Failure)))
	case rounds.Cancelled:
		out.finish(fields{"type": "cancelled"})
	case rounds.InputRequired:
		if onlyClientCalls(at.Open) {
			out.finish(fields{"type": "success", "pendingToolCallIds": f.pending})
			return
		}
		var interrupts []fields
		for _, a := range at.Open {
			interrupts = append(interrupts, interruptOf(a))
		}
		out.finish(fields{"type": "interrupt", "interrupts": interrupts})
	default:
		out.finish(fields{"type": "success"})
	}
}

// resendAdvice says how to continue after a stream that ended before its run.
const resendAdvice = "Send the same run again to get it."

// follower converts the events of one round.
type follower struct {
	*writer
	run      *run
	calls    map[string]bool // tool calls that were written, by id
	answerID string          // id of the latest message of the AI
	pending  []string        // calls of the client's tools without a result
}

// Event writes an event of the session.
func (f *follower) Event(e *api.Event) {
	switch e.Name {
	case stream.EventDelta:
		f.delta(e.Text)
	case stream.EventMessageSnapshot:
		if e.Text.Kind == stream.KindText {
			f.textDelta(e.Text.MessageID, 0, e.Text.Text)
		}
	case stream.EventDiscarded:
		f.discard()
	case string(domain.LogSessionPhase):
		if p := e.Phase; api.Value(p.RoundID) == f.run.ID && p.Phase != domain.Idle && p.Phase != domain.Completed {
			f.toStep(string(p.Phase))
		}
	case string(domain.LogMessageCreated):
		f.stored(e.Message)
	case string(domain.LogCommandPlanned), string(domain.LogCommandEnded):
		f.command(e)
	case string(domain.LogApprovalRequested), string(domain.LogApprovalSettled):
		f.approval(e)
	}
}

func (f *follower) approval(e *api.Event) {
	a := e.Approval
	switch {
	case a.Kind != domain.ApprovalClientCalls:
		f.event("ACTIVITY_SNAPSHOT", fields{
			"messageId": a.ID, "activityType": "APPROVAL", "content": fields{"kind": a.Kind, "status": a.Status}, "replace": true,
		})
	case e.Name == string(domain.LogApprovalRequested):
		f.clientCalls(a)
	default:
		f.cancelledCalls(a)
	}
}

func (f *follower) delta(d *api.MessageDeltaData) {
	switch d.Kind {
	case stream.KindText:
		f.textDelta(d.MessageID, d.Offset, d.Text)
	case stream.KindThinking:
		f.reasoningDelta(d.MessageID, d.Offset, d.Text)
	}
}

func (f *follower) stored(m *api.Message) {
	switch m.Sender {
	case api.MessageSenderAI:
		f.answerID = m.ID
		f.storedAnswer(m.ID, m.Reasoning(), m.ShownText())
	case api.MessageSenderSYSTEM:
		f.results(m)
	}
}

// command writes a command as a tool call.
func (f *follower) command(e *api.Event) {
	x := e.Execution
	if f.calls == nil {
		f.calls = map[string]bool{}
	}
	f.endText()
	if !f.calls[x.ID] {
		f.calls[x.ID] = true
		f.event("TOOL_CALL_START", fields{"toolCallId": x.ID, "toolCallName": x.Command})
		f.event("TOOL_CALL_ARGS", fields{"toolCallId": x.ID, "delta": string(x.Params)})
		f.event("TOOL_CALL_END", fields{"toolCallId": x.ID})
	}
	if e.Name == string(domain.LogCommandEnded) {
		content := fields{"status": x.Status, "error": x.Error}
		if len(x.Result) > 0 {
			content["result"] = x.Result
		}
		text, _ := json.Marshal(content) // consists of JSON values: cannot fail
		f.result(x.ID, string(text))
	}
}

// state writes the state of the session.
func (o *writer) state(at *rounds.Progress) {
	s := at.Session
	o.event("STATE_SNAPSHOT", fields{"snapshot": fields{"session": fields{
		"id": s.ID, "name": s.Name, "status": s.Status(), "phase": s.Phase, "queue_position": s.QueuePosition, "state": at.State,
	}}})
}

// interruptOf returns an approval as an interrupt of the protocol. Its message has a line for each
// action; the approval in its metadata has their parameters.
func interruptOf(a *domain.Approval) fields {
	out := fields{
		"id": a.ID, "reason": string(a.Kind), "message": rounds.QuestionText(a), "metadata": fields{"approval": api.ApprovalFrom(a)},
	}
	if len(a.ResponseSchema) > 0 {
		out["responseSchema"] = a.ResponseSchema
	}
	if a.ExpiresAt != nil {
		out["expiresAt"] = a.ExpiresAt.UTC().Format("2006-01-02T15:04:05.000Z")
	}
	return out
}
