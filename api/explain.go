package api

import (
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/explain"
)

// ExplanationFrom encodes why a session is in its present state: as fields, and as text in the workspace's language and
// time zone.
func ExplanationFrom(e *explain.Explanation, settings *domain.Settings) *Explanation {
	s := e.Session
	out := &Explanation{
		SessionID: s.ID, Status: s.Status(), Phase: s.Phase, Since: Time(e.Since), EndReason: textPtr(s.EndReason),
		WaitingFor: waitingForFrom(&e.Waits), UnblockedBy: ExplanationUnblockedBy(e.UnblockedBy),
		Text: explained(e, settings), LatestAnswer: answerPromptFrom(e.Answer, settings),
		Transitions: make([]Transition, 0, len(e.Last)),
	}
	for _, t := range e.Last {
		out.Transitions = append(out.Transitions, *TransitionFrom(t))
	}
	return out
}

func waitingForFrom(w *explain.Waits) WaitingFor {
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

func namesFrom(all []explain.SessionName) *[]SessionName {
	if len(all) == 0 {
		return nil
	}
	names := make([]SessionName, 0, len(all))
	for i := range all {
		names = append(names, *nameFrom(&all[i]))
	}
	return &names
}

func nameFrom(n *explain.SessionName) *SessionName {
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
	zone := zoneOf(settings)
	return func(t time.Time) string { return t.In(zone).Format("2006-01-02 15:04:05") }
}

func zoneOf(settings *domain.Settings) *time.Location {
	if dates, err := calendar.Of(settings); err == nil { // settings are checked when they are made
		return dates.Zone
	}
	return time.UTC
}

// months for people whose language has no formats in Go.
var months = [...]string{"janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."}

// spokenClock writes times as one says them: in the workspace's zone, the clock alone on the day
// of since, else with its day.
func spokenClock(settings *domain.Settings, since time.Time) func(time.Time) string {
	zone := zoneOf(settings)
	return func(t time.Time) string {
		t = t.In(zone)
		switch {
		case t.Format(time.DateOnly) == since.In(zone).Format(time.DateOnly):
			return t.Format("15:04")
		case settings.Language == "fr":
			return fmt.Sprintf("%d %s %s", t.Day(), months[t.Month()-1], t.Format("15:04"))
		default:
			return t.Format("2 Jan 15:04")
		}
	}
}
