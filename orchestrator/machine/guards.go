package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// By type and slot.

func seed(s *step) bool       { return s.session.Type == domain.Seed }
func chat(s *step) bool       { return s.session.Type == domain.Chat }
func agent(s *step) bool      { return s.session.Type == domain.Agent }
func automation(s *step) bool { return s.session.Type == domain.Run || agent(s) }
func notChat(s *step) bool    { return !chat(s) }

// called: another session has called this agent, and minds it. One that a person tries
// works like a run.
func called(s *step) bool { return agent(s) && s.session.ParentSessionID != "" }

// withSlot: the session may work. An agent works under the slot of its caller, and continues when the
// caller does.
func withSlot(s *step) bool { return s.session.HoldsSlot || called(s) && driven(s) }

// By state.

func poisoned(s *step) bool    { return s.session.State.Poisoned }
func notPoisoned(s *step) bool { return !poisoned(s) }

// setAside: suspended, or given up for want of a network. It comes back by itself.
func setAside(s *step) bool {
	return s.session.State.Suspended || s.session.EndReason == domain.EndNetworkError
}
func notSetAside(s *step) bool { return !setAside(s) }

// answered: a person has decided already, while the session was parked.
func answered(s *step) bool {
	return s.session.State.Waiting != nil && s.session.State.Waiting.Answer != nil
}

// meansAnother: the answer names an approval that is not the one waited for.
func meansAnother(s *step) bool {
	named, w := s.decision().ApprovalID, s.session.State.Waiting
	return named != "" && w != nil && named != w.ApprovalID
}

func busy(s *step) bool { return s.session.Phase.Working() || s.session.Phase.Waiting() }

func roundRemembered(s *step) bool { return s.session.State.PendingCause != "" }

// cutShort: a round that a person or a failure ended is followed only by a requested one.
func cutShort(event string) bool {
	switch event {
	case "InterruptRequested", "NetworkErrorOccurred", "LimitReached", "ContextBudgetExceeded":
		return true
	}
	return false
}

func recovering(s *step) bool {
	e, ok := s.event.(domain.SessionActivationRequested)
	return ok && e.Recovery
}

// By message.

func ifBusy(s *step) domain.IfBusy {
	e, _ := s.event.(domain.UserMessageSent)
	return e.IfBusy
}

func mustNotWait(s *step) bool { return ifBusy(s) == domain.IfBusyReject }
func cutsRound(s *step) bool   { return ifBusy(s) == domain.IfBusyInterrupt }

// canWait: the client itself said enqueue; only then a message leaves a wait alone.
func canWait(s *step) bool {
	e, _ := s.event.(domain.UserMessageSent)
	return e.Explicit && e.IfBusy == domain.IfBusyEnqueue
}

func withMessage(s *step) bool {
	e, _ := s.event.(domain.InterruptRequested)
	return e.Then != nil
}
func withoutMessage(s *step) bool { return !withMessage(s) }

// By the AI's answer.

func parsed(s *step) domain.AIResponseParsed {
	e, _ := s.event.(domain.AIResponseParsed)
	if e.Answer == nil {
		e.Answer = &domain.AIMessage{}
	}
	if e.Raw == nil {
		e.Raw = &domain.RawAnswer{}
	}
	return e
}

// withQueries: there is something to read. Refused commands are reported to the AI in the same way as
// results; control calls are not.
func withQueries(s *step) bool {
	c := parsed(s).Commands
	refused := slices.ContainsFunc(c.Refused, func(x *domain.Execution) bool {
		return x.Kind != domain.KindControl && x.Command != domain.AskUser && x.Command != domain.Complete
	})
	return len(c.Queries) > 0 || refused && len(c.Actions) == 0 && !withModule(s) && !saidCompleted(s) && !waitsForClient(s)
}
func withActions(s *step) bool   { return len(parsed(s).Commands.Actions) > 0 }
func withModule(s *step) bool    { return parsed(s).Answer.Module != nil }
func saidCompleted(s *step) bool { return parsed(s).Answer.Completed }

func moduleBesideCommands(s *step) bool {
	c := parsed(s).Commands
	return withModule(s) && len(c.Queries)+len(c.Actions) > 0
}

// jsonMixed: the JSON protocol has no order between queries and actions.
func jsonMixed(s *step) bool {
	e := parsed(s)
	return e.Raw.Protocol == domain.ProtocolJSON && domain.AnyReads(e.Commands.Queries) && len(e.Commands.Actions) > 0
}

// By what the commands came to.

func actionsFollow(s *step) bool {
	e, _ := s.event.(domain.DataQueriesExecuted)
	return s.session.State.PendingActions && len(e.Actions.Actions) > 0
}

func tasksPending(s *step) bool {
	return s.session.State.Pending != nil && len(s.session.State.Pending.Tasks) > 0
}

func completedBeside(s *step) bool { return s.session.State.PendingCompleted }

func backToAI(s *step) bool {
	return s.session.State.Pending != nil && s.session.State.Pending.BackToAI
}

// restsWithItsText: after_actions=rest: the answer already had text and every action succeeded. A person's
// comment still needs a call, since it is for the AI.
func restsWithItsText(s *step) bool {
	pending := s.session.State.Pending
	if s.policy.Settings.AfterActions != domain.AfterActionsRest || pending == nil || !pending.MayRest || pending.Comment != "" {
		return false
	}
	e, _ := s.event.(domain.ActionsExecuted)
	return !slices.ContainsFunc(append(slices.Clone(e.Executions), s.planned...), func(x *domain.Execution) bool {
		return x.Status.Final() && x.Status != domain.ExecSuccess && x.Status != domain.ExecCached
	})
}

// refusedBefore: an action failed without having run (wrong params, unknown record).
func refusedBefore(s *step) bool {
	e, _ := s.event.(domain.ActionsExecuted)
	return slices.ContainsFunc(append(slices.Clone(e.Executions), s.planned...), func(x *domain.Execution) bool {
		return x.Kind == domain.KindAction && (x.Status == domain.ExecFailed || x.Status == domain.ExecUnknown)
	})
}

// By a person's decision.

func (s *step) decision() domain.Decision {
	a, _ := domain.AnswerOf(s.event)
	return a.Decision
}

func yes(s *step) bool            { return s.decision().Approved }
func no(s *step) bool             { return !yes(s) }
func withoutComment(s *step) bool { return s.decision().Comment == "" }
