package uichat

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
	"github.com/fermata-dev/fermata/stream"
)

// resumeAdvice says how to continue after a stream that ended before its round.
const resumeAdvice = "Resume the stream to get it."

// stream follows a round until it is over or waits for a person.
func (x *round) stream(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	at, err := x.Start(ctx)
	if err != nil {
		return rounds.StreamError(err, resumeAdvice)
	}
	superseded, err := x.superseded(ctx, at)
	if err != nil {
		return err
	}
	out := newWriter(w, x.held)
	out.start(x.answerID(), fields{"session_id": x.Found.Session})
	f := &follower{writer: out, round: x, superseded: superseded, refused: map[string]bool{}}
	switch at, err = x.Follow(ctx, f); {
	case err == nil:
		x.end(f, at)
	case !rounds.CallerGone(ctx):
		x.fail(out, rounds.StreamError(err, resumeAdvice))
	}
	return nil
}

// answerID returns the id of the front end's message for the round, which is stable.
func (x *round) answerID() string {
	if x.held != nil && x.held.ID != "" {
		return x.held.ID
	}
	return x.Found.Message + "-answer"
}

// superseded returns the ids of superseded answers and of their rounds, which are not streamed.
func (x *round) superseded(ctx context.Context, at *rounds.Progress) (map[string]bool, error) {
	out := map[string]bool{}
	if at.Message.Seq == 0 || x.Found.Stored != nil {
		return out, nil
	}
	after, err := x.Record.Messages(ctx, x.Caller.Workspace, x.Found.Session, at.Message.Seq, maxRound)
	if err != nil {
		return nil, err
	}
	for _, m := range after {
		if m.Superseded && m.Sender == domain.SenderAI {
			out[m.ID], out[m.RoundID] = true, true
		}
	}
	return out, nil
}

// end writes the end of the stream.
func (x *round) end(f *follower, at *rounds.Progress) {
	metadata := fields{"session_id": x.Found.Session, "state": string(at.State)}
	reason := "stop"
	switch at.State {
	case rounds.Failed:
		x.fail(f.writer, domain.Errorf(domain.CodeProviderFailed, "%s", at.Failure))
		return
	case rounds.Cancelled:
		reason = "other"
	case rounds.InputRequired:
		reason = "tool-calls"
		for _, a := range at.Open {
			f.requestApproval(a)
		}
	case rounds.Working, rounds.Completed:
	}
	f.leaveStep()
	if at.State == rounds.Cancelled {
		f.chunk("abort", fields{"reason": "The round was cut."})
	}
	f.chunk("finish", fields{"finishReason": reason, "messageMetadata": metadata})
	f.WriteDone()
}

// fail writes an error: its message and code.
func (x *round) fail(out *writer, err error) {
	failure := x.Failure(err)
	out.leaveStep()
	out.chunk("error", fields{"errorText": failure.Message + " (" + string(failure.Code) + ")"})
	out.WriteDone()
}

// follower converts the events of one round to chunks.
type follower struct {
	*writer
	round      *round
	passed     bool // another round has begun
	superseded map[string]bool
	refused    map[string]bool // actions that were not approved
}

// Event writes an event of the session.
func (f *follower) Event(e *api.Event) {
	if m := e.Message; m != nil && m.Sender == api.MessageSenderUSER { // an answer within the round, or of the next round
		round := api.Value(m.RoundID)
		f.passed = f.passed || f.round.ID != "" && round != "" && round != f.round.ID
		return
	}
	if f.round.ID == "" || f.passed {
		return
	}
	switch e.Name {
	case stream.EventDelta:
		f.delta(e.Text, e.Text.Offset)
	case stream.EventMessageSnapshot:
		f.delta(e.Text, 0)
	case string(domain.LogMessageCreated):
		if m := e.Message; m.Sender == api.MessageSenderAI && !f.superseded[m.ID] {
			f.storedAnswer(m.ID, m.Reasoning(), m.ShownText(), m.Status == api.MessageStatusInterrupted)
		}
	case string(domain.LogCommandPlanned), string(domain.LogCommandEnded):
		f.command(e)
	case string(domain.LogApprovalRequested):
		if a := rounds.ApprovalOf(e.Approval); a.Kind != domain.ApprovalActions {
			f.askQuestion(a)
		}
	case string(domain.LogApprovalSettled):
		f.approvalSettled(rounds.ApprovalOf(e.Approval))
	}
}

func (f *follower) delta(d *api.MessageDeltaData, offset int) {
	switch d.Kind {
	case stream.KindText:
		f.textDelta(d.MessageID, offset, d.Text)
	case stream.KindThinking:
		f.reasoningDelta(d.MessageID, offset, d.Text)
	}
}

// command writes a command as a tool call.
func (f *follower) command(e *api.Event) {
	x := e.Execution
	if f.superseded[api.Value(x.RoundID)] {
		return
	}
	f.call(x.ID, x.Command, x.Params, true)
	if e.Name != string(domain.LogCommandEnded) {
		return
	}
	switch x.Status {
	case domain.ExecSuccess, domain.ExecCached:
		output := fields{"status": x.Status, "result": x.Result}
		f.callEnded(x.ID, "tool-output-available", fields{"output": output, "providerExecuted": true})
	case domain.ExecPending:
		f.callEnded(x.ID, "tool-output-available", fields{
			"output": fields{"status": x.Status}, "providerExecuted": true, "preliminary": true,
		})
	case domain.ExecCancelled:
		if f.refused[x.ID] {
			f.callEnded(x.ID, "tool-output-denied", fields{})
			return
		}
		f.callEnded(x.ID, "tool-output-error", fields{"errorText": x.Status, "providerExecuted": true})
	default:
		why := string(x.Status)
		if x.Error != nil && x.Error.Message != "" {
			why = x.Error.Message
		}
		f.callEnded(x.ID, "tool-output-error", fields{"errorText": why, "providerExecuted": true})
	}
}

// askQuestion writes a question as a tool call that the person carries out. If the client program
// has the tools, it writes that the session waits for it: this front end cannot run them.
func (f *follower) askQuestion(a *domain.Approval) {
	if a.Kind == domain.ApprovalClientCalls {
		f.call(a.ID, waitsForProgram, fields{"kind": a.Kind, "question": rounds.QuestionText(a)}, true)
		return
	}
	name, input := domain.AskUser, fields{"kind": a.Kind, "question": rounds.QuestionText(a)}
	if a.Kind != domain.ApprovalQuestion {
		name = "ASK_" + string(a.Kind)
	}
	if a.Module != nil {
		input["module"] = a.Module
	}
	f.call(a.ID, name, input, false)
}

// waitsForProgram is the name of the tool call that shows a front end that the session waits for the
// tools of the program which sent the message.
const waitsForProgram = "WAITS_FOR_PROGRAM"

// requestApproval writes an open approval.
func (f *follower) requestApproval(a *domain.Approval) {
	switch a.Kind {
	case domain.ApprovalActions:
		for _, action := range a.Actions {
			f.call(action.ID, action.Command, action.Params, true)
			id := a.ID
			if len(a.Actions) > 1 {
				id += "." + action.ID
			}
			f.chunk("tool-approval-request", fields{"toolCallId": action.ID, "approvalId": id})
		}
	case domain.ApprovalQuestion, domain.ApprovalOutcome, domain.ApprovalClientCalls:
		f.askQuestion(a) // answered by a tool output; an error ends the wait for client calls
	default:
		f.askQuestion(a)
		f.chunk("tool-approval-request", fields{"toolCallId": a.ID, "approvalId": a.ID})
	}
}

// approvalSettled writes the answer to an approval, from whatever client it came.
func (f *follower) approvalSettled(a *domain.Approval) {
	if a.Kind == domain.ApprovalActions {
		var decision struct {
			Approved    bool     `json:"approved"`
			ApprovedIDs []string `json:"approved_ids"`
		}
		_ = json.Unmarshal(a.Decision, &decision) // without a decision nothing was approved
		for _, action := range a.Actions {
			f.refused[action.ID] = true
		}
		for _, id := range decision.ApprovedIDs {
			delete(f.refused, id)
		}
		if decision.Approved && decision.ApprovedIDs == nil {
			clear(f.refused)
		}
		return
	}
	f.askQuestion(a)
	if a.Status != domain.ApprovalStatusApproved {
		switch a.Kind {
		case domain.ApprovalClientCalls:
			f.callEnded(a.ID, "tool-output-error", fields{
				"errorText": "The session no longer waits for the program: " + string(a.Status), "providerExecuted": true,
			})
			return
		case domain.ApprovalQuestion, domain.ApprovalOutcome:
			f.callEnded(a.ID, "tool-output-error", fields{"errorText": "Not answered: " + string(a.Status)})
			return
		}
		f.callEnded(a.ID, "tool-output-denied", fields{})
		return
	}
	var answer struct {
		Value   json.RawMessage `json:"value"`
		Outcome string          `json:"outcome"`
	}
	_ = json.Unmarshal(a.Decision, &answer) // an unreadable answer counts as none
	var output any = answer.Value
	switch {
	case a.Kind == domain.ApprovalOutcome:
		output = answer.Outcome
	case a.Kind == domain.ApprovalClientCalls:
		f.callEnded(a.ID, "tool-output-available", fields{"output": "The program has answered.", "providerExecuted": true})
		return
	case a.Kind != domain.ApprovalQuestion, answer.Value == nil:
		output = true
	}
	f.callEnded(a.ID, "tool-output-available", fields{"output": output})
}
