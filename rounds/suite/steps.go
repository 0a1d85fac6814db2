package suite

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// step is what happens to the session next.
type step struct {
	text   string
	do     func(*World)
	queues bool // the message waits behind others when it is sent
}

// enter changes the phase of the session, with the two events that this has.
func (w *World) enter(phase domain.Phase, event string) {
	w.mu.Lock()
	from := w.session.Phase
	w.session.Phase, w.session.State.RoundID = phase, roundID
	if phase == domain.Completed {
		w.session.EndReason = domain.EndCompleted
	}
	status := w.session.Status()
	w.mu.Unlock()
	w.publish(&domain.LogEvent{Type: domain.LogSessionPhase, Phase: &domain.Transition{
		From: from, To: phase, Event: event, Status: status, RoundID: roundID, At: clock.System(),
	}})
	kind := domain.LogSessionStatus
	if phase == domain.Completed {
		kind = domain.LogSessionEnded
	}
	w.publish(&domain.LogEvent{Type: kind, Session: &domain.Session{}})
}

func phase(p domain.Phase, event string) step {
	return step{text: "phase " + string(p) + " by " + event, do: func(w *World) { w.enter(p, event) }}
}

// call begins a call of the AI; idle ends the round.
func call() step { return phase(domain.CallingAI, domain.ActionsExecuted{}.Name()) }
func idle() step { return phase(domain.Idle, domain.AIResponseReceived{}.Name()) }

// answerID returns the id of the answer that is being written.
func (w *World) answerID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("msg_%032x", 0x200+w.answers)
}

func (w *World) nextAnswer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answers++
}

func delta(kind, text string) step {
	return step{text: "delta " + kind + " " + strconv.Quote(text), do: func(w *World) {
		w.broker.Delta(workspaceID, SessionID, w.answerID(), kind, text)
	}}
}

func text(s string) step     { return delta("text", s) }
func thinking(s string) step { return delta("thinking", s) }

// discarded voids the text of an answer; lost leaves it without a notice, as a crash does.
func discarded() step {
	return step{text: "discarded", do: func(w *World) {
		w.broker.Discard(workspaceID, SessionID, w.answerID(), "cut")
		w.nextAnswer()
	}}
}

func lost() step {
	return step{text: "lost", do: func(w *World) { w.nextAnswer() }}
}

// stored puts a message of the round into the record.
func stored(m domain.Message) step {
	label := string(m.Sender)
	switch {
	case m.AI != nil:
		label += " " + strconv.Quote(m.AI.PreText)
	case m.System != nil:
		label += " " + string(m.System.Type)
	default:
		label += " " + strconv.Quote(m.Text)
	}
	if m.Status == domain.MessageInterrupted {
		label += " interrupted"
	}
	return step{text: "stored " + label, do: func(w *World) {
		copied := m
		if copied.ID == "" {
			copied.ID = w.answerID()
		}
		if copied.Status == "" {
			copied.Status = domain.MessageStored
		}
		if copied.RoundID == "" {
			copied.RoundID = roundID
		}
		copied.SessionID, copied.WorkspaceID, copied.Timestamp = SessionID, workspaceID, clock.System()
		w.mu.Lock()
		w.messages = append(w.messages, &copied)
		w.mu.Unlock()
		w.publish(&domain.LogEvent{Type: domain.LogMessageCreated, Message: &copied})
		w.nextAnswer()
	}}
}

func answer(said string) step {
	return stored(domain.Message{Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: said}, Raw: &domain.RawAnswer{Text: said}})
}

func thoughtful(thought, said string) step {
	return stored(domain.Message{Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: said}, Raw: &domain.RawAnswer{
		Text: said, Thinking: []domain.Thinking{{Text: thought}},
	}})
}

func system(m *domain.SystemMessage) step {
	return stored(domain.Message{Sender: domain.SenderSystem, System: m})
}

// usage records a call of the AI.
func usage(in, out int64) step {
	return step{text: fmt.Sprintf("usage %d %d", in, out), do: func(w *World) {
		w.publish(&domain.LogEvent{Type: domain.LogUsageUpdated, Usage: &domain.Roundtrip{
			ID: "rtp_1", RoundID: roundID, Number: 1, Purpose: "answer", Outcome: "answered", Model: "demo", ProviderKind: "demo",
			Usage:     domain.Usage{InputTokens: in, OutputTokens: out, CacheReadTokens: 3, ReasoningTokens: 1},
			StartedAt: clock.System(), EndedAt: clock.System(),
		}})
	}}
}

// command plans a command, or ends it with a status.
func command(id, name string, status domain.ExecutionStatus, result string) step {
	return step{text: "command " + id + " " + name + " " + string(status), do: func(w *World) {
		now, kind := clock.System(), domain.LogCommandPlanned
		x := &domain.Execution{
			ID: id, WorkspaceID: workspaceID, SessionID: SessionID, RoundID: roundID, CallID: "c_" + id, Command: name,
			Params: json.RawMessage(`{"name":"Garden"}`), Kind: domain.KindAction, Status: status, Attempt: 1, CreatedAt: now,
		}
		if status != domain.ExecPlanned {
			kind, x.EndedAt = domain.LogCommandEnded, &now
		}
		switch {
		case status == domain.ExecFailed:
			x.Error = &domain.CommandError{Code: "invalid", Message: result}
		case result != "":
			x.Result = json.RawMessage(result)
		}
		w.publish(&domain.LogEvent{Type: kind, Execution: x})
	}}
}

// requested opens an approval, for which the session waits.
func requested(p domain.Phase, a domain.Approval) step {
	return step{text: "requested " + string(a.Kind) + " " + a.ID, do: func(w *World) {
		copied := a
		copied.WorkspaceID, copied.SessionID, copied.RoundID = workspaceID, SessionID, roundID
		copied.Status, copied.CreatedAt = domain.ApprovalStatusOpen, clock.System()
		w.mu.Lock()
		w.approvals = append(w.approvals, &copied)
		w.session.State.Waiting = &domain.WaitingContext{ApprovalID: a.ID}
		w.mu.Unlock()
		shown := copied
		w.publish(&domain.LogEvent{Type: domain.LogApprovalRequested, Approval: &shown})
		w.enter(p, domain.AIResponseReceived{}.Name())
	}}
}

// settled answers the open approval.
func settled(status domain.ApprovalStatus, decision string) step {
	return step{text: "settled " + string(status) + " " + decision, do: func(w *World) {
		w.mu.Lock()
		a := w.approvals[len(w.approvals)-1]
		now := clock.System()
		a.Status, a.SettledAt, a.SettledBy = status, &now, "usr_1"
		if decision != "" {
			a.Decision = json.RawMessage(decision)
		}
		shown := *a
		w.session.State.Waiting = nil
		w.mu.Unlock()
		w.publish(&domain.LogEvent{Type: domain.LogApprovalSettled, Approval: &shown})
	}}
}

// queued lets the message wait behind another round; placed ends that; withdrawn deletes the message.
func queued() step {
	return step{text: "queued", queues: true, do: func(w *World) {
		w.publish(&domain.LogEvent{Type: domain.LogMessageCreated, Message: &domain.Message{
			ID: "msg_other", SessionID: SessionID, RoundID: "rnd_other", Sender: domain.SenderAI, Status: domain.MessageStored,
			AI: &domain.AIMessage{PreText: "Of another round."},
		}})
	}}
}

func (w *World) changeMessage(t domain.LogType, change func(*domain.Message)) {
	w.mu.Lock()
	m := w.messages[0]
	change(m)
	w.mu.Unlock()
	w.publish(&domain.LogEvent{Type: t, Message: m}) // numbers it before listeners read the record
}

func placed() step {
	return step{text: "placed", do: func(w *World) {
		w.changeMessage(domain.LogMessageUpdated, func(m *domain.Message) { m.RoundID, m.Status = roundID, domain.MessageStored })
		w.enter(domain.CallingAI, domain.UserMessageSent{}.Name())
	}}
}

func withdrawn() step {
	return step{text: "withdrawn", do: func(w *World) {
		w.changeMessage(domain.LogMessageDeleted, func(*domain.Message) {})
		w.mu.Lock()
		w.messages = nil
		w.mu.Unlock()
	}}
}

// pause lets time pass.
func pause(d time.Duration) step {
	return step{text: "pause " + d.String(), do: func(*World) { wait(d) }}
}

// next begins the round of another message.
func next() step {
	return stored(domain.Message{
		ID: "msg_next", RoundID: "rnd_next", Sender: domain.SenderUser, Rich: &domain.RichContent{LinearText: "And then?"},
	})
}
