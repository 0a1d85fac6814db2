package api

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// SessionFrom is a session as clients see it.
func SessionFrom(s *domain.Session) *Session {
	if s == nil {
		return nil
	}
	return &Session{
		ID: s.ID, WorkspaceID: s.WorkspaceID, Name: s.Name, Type: s.Type, Status: s.Status(), Phase: s.Phase,
		RoundID: textPtr(s.State.RoundID), Pinned: s.Pinned, ExternalID: textPtr(s.ExternalID),
		Owner: textPtr(s.Owner), Visibility: s.Visibility,
		ParentSessionID: textPtr(s.ParentSessionID), ForkedFrom: forkedFrom(s),
		Budgets: BudgetsFrom(s.Budgets),
		Lane:    domain.LaneOr(s.Lane), HoldsSlot: s.HoldsSlot, QueuePosition: numberPtr(s.QueuePosition),
		WaitingContext: waitingFrom(s.State.Waiting), TotalRoundtrips: s.State.TotalRoundtrips,
		EndReason: textPtr(s.EndReason), AutomationID: textPtr(s.AutomationID),
		ScheduledExecutionTime: timePtr(s.ScheduledExecutionTime), Trigger: textPtr(s.Trigger),
		ProviderID: textPtr(s.ProviderID), Model: textPtr(s.Model), RequireValidation: s.RequireValidation,
		Usage: UsageFrom(s.Usage), LastSeq: s.LastSeq, RunEpoch: s.RunEpoch,
		LastEventTime: Time(s.LastEventTime), LastUserInteractionTime: timePtr(s.LastUserInteractionTime),
		CreatedAt: Time(s.CreatedAt), UpdatedAt: Time(s.UpdatedAt),
		FinalText: textPtr(s.State.FinalText), Agent: agentRunFrom(s),
	}
}

// agentRunFrom is which agent works in a session, and how it ended.
func agentRunFrom(s *domain.Session) *SessionAgent {
	run := s.State.Agent
	if run == nil {
		return nil
	}
	out := &SessionAgent{AgentID: run.AgentID, Name: run.Name, Version: run.Version}
	if s.Phase == domain.Completed {
		out.Outcome = textPtr(SessionAgentOutcome(s.AgentOutcome()))
	}
	if end := run.End; end != nil {
		out.Reason, out.Result, out.Conclusion = textPtr(end.Reason), textPtr(end.Result), textPtr(end.Conclusion)
	}
	return out
}

func forkedFrom(s *domain.Session) *ForkedFrom {
	if s.Origin == nil {
		return nil
	}
	return &ForkedFrom{SessionID: s.Origin.SessionID, MessageID: s.Origin.MessageID}
}

func waitingFrom(w *domain.WaitingContext) *WaitingContext {
	if w == nil {
		return nil
	}
	out := &WaitingContext{
		Kind: WaitingContextKind(w.Kind), ApprovalID: textPtr(w.ApprovalID), CancelMessageID: textPtr(w.CancelMessageID),
		MessageID: textPtr(w.MessageID), Module: w.Module, Attempt: numberPtr(w.Attempt),
		LastError: textPtr(w.LastError), Reason: textPtr(w.Reason), Limit: textPtr(w.Limit),
	}
	if !w.At.IsZero() {
		at := Time(w.At)
		out.At = &at
	}
	if len(w.Agents) > 0 {
		out.Agents = &w.Agents
	}
	if len(w.Tasks) > 0 {
		out.Tasks = &w.Tasks
	}
	return out
}

// UsageFrom is usage as clients see it.
func UsageFrom(u domain.Usage) Usage {
	return Usage{
		InputTokens: u.InputTokens, CacheReadTokens: u.CacheReadTokens, CacheWriteTokens: u.CacheWriteTokens,
		OutputTokens: u.OutputTokens, ReasoningTokens: u.ReasoningTokens, Cost: costFrom(u.Cost),
	}
}

func costFrom(amount *float64) *Cost {
	if amount == nil {
		return nil
	}
	return &Cost{Amount: *amount, Currency: CostCurrencyUSD}
}

// SlotFrom is the slot as clients see it at the given time.
func SlotFrom(s *domain.SlotState, now time.Time) *Slot {
	out := &Slot{
		Lane: domain.LaneOr(s.Lane), Seats: max(1, s.Seats), Holders: []Session{},
		Since: timePtr(s.Since), Preempting: textPtr(s.Preempting),
	}
	for _, h := range s.Holders {
		out.Holders = append(out.Holders, *SessionFrom(h))
	}
	if h := s.Holder; h != nil {
		out.Holder, out.Phase = SessionFrom(h), &h.Phase
		out.InactivityMs = inactivity(h, now).Milliseconds()
	}
	return out
}

// inactivity is how long the holder has been inactive: never while it works, since the
// person's last act while it waits, else since its last event.
func inactivity(s *domain.Session, now time.Time) time.Duration {
	if s.Phase.Working() {
		return 0
	}
	return max(0, now.Sub(s.InactiveSince()))
}

// QueueFrom is the queue as clients see it, next first.
func QueueFrom(rows []domain.QueueRow) *Queue {
	out := &Queue{Data: make([]QueueRow, 0, len(rows)), Length: len(rows)}
	for i := range rows {
		r := &rows[i]
		row := QueueRow{
			Position: r.Position, SessionID: r.SessionID, Session: SessionFrom(r.Session),
			Trigger: r.Trigger, Reason: r.Reason, Since: Time(r.Since), NotBefore: timePtr(r.NotBefore),
		}
		if r.Preempting {
			row.Preempting = &r.Preempting
		}
		out.Data = append(out.Data, row)
	}
	return out
}

// textPtr is nil for the empty text: what clients see as null, or not at all.
func textPtr[T ~string](s T) *T {
	if s == "" {
		return nil
	}
	return &s
}

// numberPtr is nil for 0.
func numberPtr[T int | int64](n T) *T {
	if n == 0 {
		return nil
	}
	return &n
}

// BudgetsFrom are budgets as clients see them.
func BudgetsFrom(b domain.Budgets) Budgets {
	return Budgets{
		MaxTokensPerRound: b.MaxTokensPerRound, MaxCostPerRound: b.MaxCostPerRound, MaxCostPerSession: b.MaxCostPerSession,
		MaxCostPerDay: b.MaxCostPerDay,
	}
}
