package api

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// ExplanationFrom says in fields and, in the workspace's language and time zone, in
// words why a session stands where it stands.
func ExplanationFrom(e *domain.Explanation, settings *domain.Settings) *Explanation {
	s := e.Session
	out := &Explanation{
		SessionID: s.ID, Status: s.Status(), Phase: s.Phase, Since: Time(e.Since), EndReason: textPtr(s.EndReason),
		WaitingFor: waitingForFrom(&e.Waits), UnblockedBy: ExplanationUnblockedBy(e.UnblockedBy),
		Text: explained(e, settings), Transitions: make([]Transition, 0, len(e.Last)),
	}
	for _, t := range e.Last {
		out.Transitions = append(out.Transitions, *TransitionFrom(t))
	}
	return out
}

func waitingForFrom(w *domain.Waits) WaitingFor {
	out := WaitingFor{
		Kind: WaitingForKind(w.Kind), Until: timePtr(w.Until), Holder: nameFrom(w.Holder), Position: numberPtr(w.Position),
		Reason: textPtr(w.Reason), ApprovalID: textPtr(w.ApprovalID), Limit: textPtr(w.Limit),
		ProviderID: textPtr(w.ProviderID), Attempt: numberPtr(w.Attempt), LastError: textPtr(w.LastError), Deaths: numberPtr(w.Deaths),
	}
	if w.Preempting {
		out.Preempting = &w.Preempting
	}
	if len(w.Tasks) > 0 {
		out.Tasks = &w.Tasks
	}
	out.Ahead, out.Agents = namesFrom(w.Ahead), namesFrom(w.Agents)
	return out
}

func namesFrom(all []domain.SessionName) *[]SessionName {
	if len(all) == 0 {
		return nil
	}
	names := make([]SessionName, 0, len(all))
	for i := range all {
		names = append(names, *nameFrom(&all[i]))
	}
	return &names
}

func nameFrom(n *domain.SessionName) *SessionName {
	if n == nil {
		return nil
	}
	return &SessionName{ID: n.ID, Name: n.Name, Type: n.Type, Phase: n.Phase, Position: numberPtr(n.Position)}
}

// TransitionFrom is a transition as clients see it.
func TransitionFrom(t *domain.Transition) *Transition {
	return &Transition{
		Number: t.Number, From: t.From, Phase: t.To, Event: t.Event, Reason: textPtr(t.Reason), Status: t.Status,
		RoundID: textPtr(t.RoundID), Epoch: t.Epoch, At: Time(t.At),
	}
}

// clockOf writes times for people: in the workspace's zone, with the date.
func clockOf(settings *domain.Settings) func(time.Time) string {
	zone := time.UTC
	if calendar, err := settings.Calendar(); err == nil { // settings are checked when they are made
		zone = calendar.Zone
	}
	return func(t time.Time) string { return t.In(zone).Format("2006-01-02 15:04:05") }
}
