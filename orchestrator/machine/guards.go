package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// By type and slot.

func seed(t *turn) bool       { return t.s.Type == domain.Seed }
func chat(t *turn) bool       { return t.s.Type == domain.Chat }
func agent(t *turn) bool      { return t.s.Type == domain.Agent }
func automation(t *turn) bool { return t.s.Type == domain.Run || agent(t) }
func notChat(t *turn) bool    { return !chat(t) }

// withSlot: the session may work. An agent works under its parent's slot.
func withSlot(t *turn) bool { return t.s.HoldsSlot || agent(t) }

func (t *turn) hasSlot() bool { return withSlot(t) }

// By state.

func poisoned(t *turn) bool    { return t.s.State.Poisoned }
func notPoisoned(t *turn) bool { return !poisoned(t) }

// setAside: suspended, or given up for want of a network. It comes back by itself.
func setAside(t *turn) bool {
	return t.s.State.Suspended || t.s.EndReason == domain.EndNetworkError
}
func notSetAside(t *turn) bool { return !setAside(t) }

// answered: a person has decided already, while the session was parked.
func answered(t *turn) bool {
	return t.s.State.Waiting != nil && t.s.State.Waiting.Answer != nil
}

// meansAnother: the answer names an approval that is not the one waited for.
func meansAnother(t *turn) bool {
	named, w := t.decision().ApprovalID, t.s.State.Waiting
	return named != "" && w != nil && named != w.ApprovalID
}

func busy(t *turn) bool { return t.s.Phase.Working() || t.s.Phase.Waiting() }

func roundRemembered(t *turn) bool { return t.s.State.PendingCause != "" }

func recovering(t *turn) bool {
	e, ok := t.event.(domain.SessionActivationRequested)
	return ok && e.Recovery
}

// By message.

func ifBusy(t *turn) domain.IfBusy {
	e, _ := t.event.(domain.UserMessageSent)
	return e.IfBusy
}

func mustNotWait(t *turn) bool { return ifBusy(t) == domain.IfBusyReject }
func cutsRound(t *turn) bool   { return ifBusy(t) == domain.IfBusyInterrupt }

// canWait: the client itself said enqueue; only then a message leaves a wait alone.
func canWait(t *turn) bool {
	e, _ := t.event.(domain.UserMessageSent)
	return e.Explicit && e.IfBusy == domain.IfBusyEnqueue
}

func withMessage(t *turn) bool {
	e, _ := t.event.(domain.InterruptRequested)
	return e.Then != nil
}
func withoutMessage(t *turn) bool { return !withMessage(t) }

// By the AI's answer.

func parsed(t *turn) domain.AIResponseParsed {
	e, _ := t.event.(domain.AIResponseParsed)
	if e.Answer == nil {
		e.Answer = &domain.AIMessage{}
	}
	if e.Raw == nil {
		e.Raw = &domain.RawAnswer{}
	}
	return e
}

// withQueries: there is something to read. Commands that were all refused are told to
// the AI in the same way as results that were read; control calls are not.
func withQueries(t *turn) bool {
	c := parsed(t).Commands
	refused := slices.ContainsFunc(c.Refused, func(x *domain.Execution) bool {
		return x.Kind != domain.KindControl && x.Command != callAskUser && x.Command != callComplete
	})
	return len(c.Queries) > 0 || refused && len(c.Actions) == 0 && !withModule(t) && !saidCompleted(t)
}
func withActions(t *turn) bool   { return len(parsed(t).Commands.Actions) > 0 }
func withModule(t *turn) bool    { return parsed(t).Answer.Module != nil }
func saidCompleted(t *turn) bool { return parsed(t).Answer.Completed }

func moduleBesideCommands(t *turn) bool {
	c := parsed(t).Commands
	return withModule(t) && len(c.Queries)+len(c.Actions) > 0
}

// jsonMixed: the JSON protocol has no order between queries and actions.
func jsonMixed(t *turn) bool {
	e := parsed(t)
	return e.Raw.Protocol == domain.ProtocolJSON && len(e.Commands.Queries) > 0 && len(e.Commands.Actions) > 0
}

// By what the commands came to.

func actionsFollow(t *turn) bool {
	e, _ := t.event.(domain.DataQueriesExecuted)
	return t.s.State.PendingActions && len(e.Actions.Actions) > 0
}

func tasksPending(t *turn) bool {
	return t.s.State.Pending != nil && len(t.s.State.Pending.Tasks) > 0
}

func completedBeside(t *turn) bool { return t.s.State.PendingCompleted }

func backToAI(t *turn) bool { return t.s.State.Pending != nil && t.s.State.Pending.BackToAI }

// refusedBefore: an action failed without having run (wrong params, unknown record).
func refusedBefore(t *turn) bool {
	e, _ := t.event.(domain.ActionsExecuted)
	return slices.ContainsFunc(append(slices.Clone(e.Executions), t.planned...), func(x *domain.Execution) bool {
		return x.Kind == domain.KindAction && (x.Status == domain.ExecFailed || x.Status == domain.ExecUnknown)
	})
}

// By a person's decision.

func (t *turn) decision() domain.Decision {
	a, _ := domain.AnswerOf(t.event)
	return a.Decision
}

func yes(t *turn) bool            { return t.decision().Approved }
func no(t *turn) bool             { return !yes(t) }
func withoutComment(t *turn) bool { return t.decision().Comment == "" }
