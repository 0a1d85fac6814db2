package suite

import (
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// answersAgain: a message leaves the prompt and comes back without a word of it being written
// again; the end of a long record is read whole, and nothing of what stands before it is.
func answersAgain(w *world) {
	ctx := w.Context()
	s := w.stored("asked again")
	for i := range 120 {
		c := w.change(s)
		m := w.say(c, s, domain.SenderAI, fmt.Sprint("before ", i))
		m.RoundID = fmt.Sprint("rnd_", i)
		w.ok(w.Commit(ctx, c))
	}
	c := w.change(s)
	asked := w.say(c, s, domain.SenderUser, "which one?")
	asked.RoundID = "rnd_a"
	var tries []*domain.Message
	for i := range 70 {
		m := w.say(c, s, domain.SenderAI, fmt.Sprint("answer ", i))
		m.RoundID, m.RetryOf = fmt.Sprint("rnd_b", i), "rnd_a"
		tries = append(tries, m)
	}
	w.ok(w.Commit(ctx, c))

	round, err := w.Sessions.LastRound(ctx, s.WorkspaceID, s.ID)
	w.ok(err)
	w.equal(branch.LastRound(round)[0].ID, asked.ID, "the first of the last round")
	w.equal(len(branch.LastRound(round)), 71, "messages of the last round")
	w.equal(len(round) < 71+50, true, "little more than the last round is read")

	mark := func(m *domain.Message, superseded bool) error {
		c := w.change(s)
		own := *m
		own.Superseded = superseded
		c.MarkedMessages = append(c.MarkedMessages, &own)
		c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogAnswersChanged, Answers: &domain.AnswersChanged{SessionID: s.ID}})
		return w.Commit(ctx, c)
	}
	for _, superseded := range []bool{true, false} {
		want := *tries[3]
		want.Superseded = superseded
		w.ok(mark(tries[3], superseded))
		got, err := w.Sessions.Message(ctx, s.WorkspaceID, s.ID, want.ID)
		w.ok(err)
		w.equal(got, &want, "the message that was marked")
	}
	gone := *tries[0]
	gone.ID = "msg_gone"
	if err := mark(&gone, true); err == nil {
		w.Fatalf("a message that is not there was marked")
	}
	w.effectsOfAgents(s, tries[3])
	w.filesBeforeTheAI(s)
	w.sound()
}

// effectsOfAgents: what an answer has done is also what the agents did that it called, and those
// that these called; not what others did.
func (w *world) effectsOfAgents(s *domain.Session, answer *domain.Message) {
	ctx := w.Context()
	call := w.execution(s, answer.ID, "AGENT.HELPER", domain.KindQuery)
	helper := w.stored("helper", ended(call, s))
	wrote := w.execution(helper, "msg_h", "CREATE_ZONE", domain.KindAction)
	further := w.execution(helper, "msg_h", "AGENT.OTHER", domain.KindQuery)
	other := w.stored("other", ended(further, helper))
	deleted := w.execution(other, "msg_o", "DELETE_ZONE", domain.KindAction)
	w.execution(w.stored("another author"), "msg_s", "CREATE_ZONE", domain.KindAction)
	all, err := w.Records.ExecutionsOf(ctx, s.WorkspaceID, s.ID, []string{answer.ID})
	w.ok(err)
	var ids []string
	for _, x := range branch.Effects(all) {
		ids = append(ids, x.ID)
	}
	w.equal(ids, []string{wrote.ID, deleted.ID}, "what was done in all")
}

// ended is the session of an agent that has ended what a call gave it.
func ended(call *domain.Execution, caller *domain.Session) func(*domain.Session) {
	return func(a *domain.Session) {
		a.ID, a.Type, a.ParentSessionID = domain.AgentSessionID(call.ID), domain.Agent, caller.ID
		a.Phase, a.EndReason = domain.Completed, domain.EndCompleted
	}
}

// execution writes one that went well.
func (w *world) execution(s *domain.Session, answer, command string, kind domain.CommandKind) *domain.Execution {
	c := w.change(s)
	x := &domain.Execution{
		ID: w.newID(domain.PrefixExecution), WorkspaceID: s.WorkspaceID, SessionID: s.ID, MessageID: answer, Command: command,
		Params: json.RawMessage(`{}`), Kind: kind, Effect: domain.EffectIdempotent, Status: domain.ExecSuccess, CreatedAt: T0, EndedAt: new(T0),
	}
	c.Executions = []*domain.Execution{x}
	w.ok(w.Commit(w.Context(), c))
	return x
}

// filesBeforeTheAI: an answer keeps which files it was given, and the latest one explains its session,
// until another takes its place.
func (w *world) filesBeforeTheAI(s *domain.Session) {
	ctx := w.Context()
	c := w.change(s)
	m := w.say(c, s, domain.SenderAI, "Seen.")
	m.Raw = &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Seen.", OlderPromptFiles: 2, PromptFiles: []domain.PromptFile{
		{ID: "fil_1", Name: "a.png", As: domain.FileAsPicture, Tokens: 90},
		{ID: "fil_2", Name: "b.png", As: domain.FileAsReference, Why: domain.FileShownBefore, Tokens: 40},
	}}
	s.State.AnswerID = m.ID
	w.ok(w.Commit(ctx, c))
	standing, err := w.Sessions.Standing(ctx, s.WorkspaceID, s.ID)
	w.ok(err)
	w.equal(standing.Answer, m, "the latest answer, with its files")

	c = w.change(s)
	own := *m
	own.Superseded = true
	c.MarkedMessages = append(c.MarkedMessages, &own)
	c.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogAnswersChanged, Answers: &domain.AnswersChanged{SessionID: s.ID}})
	w.ok(w.Commit(ctx, c))
	standing, err = w.Sessions.Standing(ctx, s.WorkspaceID, s.ID)
	w.ok(err)
	w.equal(standing.Answer == nil, true, "one that was superseded explains nothing")
}
