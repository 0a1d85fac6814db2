package machine

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// refusalRule is one refused combination. It changes nothing and is returned to the caller. Empty On means
// every event.
type refusalRule struct {
	From phases
	On   []string
	When when
	Code domain.Code
	Text string
}

// eventsFrom names the events that have this source.
func eventsFrom(source domain.Source) []string {
	return eventsWhere(func(e domain.Event) bool { return e.Source() == source })
}

// answers names the events with a person's answer.
var answers = eventsWhere(func(e domain.Event) bool {
	_, ok := domain.AnswerOf(e)
	return ok
})

// everyBut names every event that comes from outside but those.
func everyBut(not ...string) []string {
	return eventsWhere(func(e domain.Event) bool { return !slices.Contains(not, e.Name()) })
}

func eventsWhere(holds func(domain.Event) bool) []string {
	var names []string
	for _, e := range domain.Events {
		if holds(e) {
			names = append(names, e.Name())
		}
	}
	return names
}

// toTryAgain are what a poisoned session cannot take: it wants to be tried again or
// stopped first. (A message, a result and the time it takes.)
var toTryAgain = everyBut(append(eventsFrom(domain.FromEffect),
	"UserMessageSent", "ExternalResultReceived", "StopRequested", "SessionResumed", "SchedulerHeartbeat")...)

const (
	textEnded   = "The session has ended; it takes nothing more."
	textReopen  = "The chat was stopped; nothing was sent. Resume it first, then send again."
	textPhase   = "The session's present phase does not take this."
	textApart   = "The session was set aside meanwhile; what was under way is done again when it comes back."
	textNoChat  = "Only a chat takes this."
	textNoRun   = "Only an automation takes this."
	textAgent   = "An agent goes on with the session that called it; resume that one."
	textAsks    = "An agent of this session asks, not the session itself. Answer the agent's approval."
	textSettled = "This was answered already, or something else is asked by now."
)

// The refusals that are written. What a phase simply does not take follows from the table
// (notInThisPhase).
var written = []refusalRule{
	{all, nil, when{seed}, domain.CodeSeedNeverRuns, "This is an automation's template: it is edited, and never run."},

	// By type.
	{all, []string{"UserMessageSent"}, when{notChat}, domain.CodeWrongSessionType, "An automation takes no messages; only a chat does."},
	{
		all,
		[]string{"InterruptRequested", "SessionEvicted", "CommunicationResponseReceived", "CommunicationCancelled"},
		when{notChat},
		domain.CodeWrongSessionType,
		textNoChat,
	},
	{
		all,
		[]string{
			"CompletionConfirmed",
			"CompletionRejected",
			"NetworkRetryScheduled",
			"NetworkAvailable",
			"NetworkGivenUp",
			"WatchdogExpired",
			"SessionCompleted",
		},
		when{chat},
		domain.CodeWrongSessionType,
		textNoRun,
	},

	{all, []string{"SessionResumed"}, when{called}, domain.CodeWrongSessionType, textAgent},

	// Ended.
	{in(toEnd), []string{"UserMessageSent"}, nil, domain.CodeSessionEnded, textReopen},
	{in(toEnd), []string{"SessionResumed"}, when{notChat}, domain.CodeSessionEnded, textEnded},
	{
		in(toEnd),
		everyBut("UserMessageSent", "SessionResumed", "SchedulerHeartbeat", "ExternalResultReceived"),
		nil,
		domain.CodeSessionEnded,
		textEnded,
	},

	// By state.
	{
		all,
		toTryAgain,
		when{poisoned},
		domain.CodeWrongPhase,
		"The server died again and again at this step of the session, which was set apart. Try it again with resume, or stop it.",
	},
	{working, eventsFrom(domain.FromEffect), when{setAside}, domain.CodeWrongPhase, textApart},
	{
		all,
		[]string{"UserMessageSent"},
		when{busy, mustNotWait},
		domain.CodeSessionBusy,
		"The session is at work, and the message said that it must not wait. It was not kept.",
	},
	{in(toValidation), append([]string{"ApprovalStale"}, answers...), when{waitsForAgents}, domain.CodeWrongPhase, textAsks},
	// What a server outside asks is no list of actions that could have changed meanwhile.
	{in(toValidation), []string{"ApprovalStale"}, when{asksOutside}, domain.CodeWrongPhase, textPhase},
	{in(toValidation), []string{"AgentAnswered"}, when{waitsForOther}, domain.CodeWrongPhase, textPhase},
	{waiting, answers, when{answered}, domain.CodeValidationResolved, textSettled},
	{waiting, answers, when{meansAnother}, domain.CodeValidationResolved, textSettled},
	{
		alive,
		[]string{"SessionResumed"},
		when{notPoisoned, notSetAside},
		domain.CodeWrongPhase,
		"There is nothing to resume: the session is not stopped, suspended or poisoned.",
	},
	{
		idle,
		[]string{"InterruptRequested"},
		when{withoutMessage},
		domain.CodeWrongPhase,
		"The session is at rest; there is nothing to interrupt.",
	},
	{idle, []string{"SessionSuspended"}, when{notChat}, domain.CodeWrongPhase, textPhase},
	{untimed, []string{"SessionSuspended"}, when{notChat}, domain.CodeWrongPhase, "The session is parked and holds no slot."},
	{idle, []string{"UserMessageSent", "RoundRequested", "AnswerChosen"}, when{notChat}, domain.CodeWrongSessionType, textNoChat},

	// By phase.
	{working, []string{"SessionEvicted"}, nil, domain.CodeWrongPhase, "A session at work is not evicted."},
}

// What is said of an event where its phase is not; of any other: textPhase.
var elsewhere = map[string]string{
	"ValidationReceived":            "The session does not wait for a validation.",
	"CommunicationResponseReceived": "The session does not wait for an answer.",
	"CommunicationCancelled":        "The session does not wait for an answer.",
	"BudgetRaised":                  "The session does not wait for a decision on a budget.",
	"BudgetRefused":                 "The session does not wait for a decision on a budget.",
	"CompletionConfirmed":           "The session does not wait for a confirmation.",
	"CompletionRejected":            "The session does not wait for a confirmation.",
	"RoundRequested":                "A round can be run again when the session is at rest.",
	"AnswerChosen":                  "Another answer can be chosen when the session is at rest.",
}

// The refusals, looked at before the table of rules.
var refusals = slices.Concat(written, notInThisPhase())

// notInThisPhase refuses each event that has rules in the phases where it has none and
// where no line above speaks of it.
func notInThisPhase() []refusalRule {
	var list []refusalRule
	for _, e := range domain.Events {
		var from []domain.Phase
		for _, p := range domain.Phases {
			if hasRule(e.Name()) && !decided(e.Name(), p) {
				from = append(from, p)
			}
		}
		if len(from) == 0 {
			continue
		}
		text := cmp.Or(elsewhere[e.Name()], textPhase)
		alike := func(r refusalRule) bool { return r.Text == text && slices.Equal(r.From.list, from) }
		if i := slices.IndexFunc(list, alike); i >= 0 {
			list[i].On = append(list[i].On, e.Name())
			continue
		}
		list = append(list, refusalRule{in(from...), []string{e.Name()}, nil, domain.CodeWrongPhase, text})
	}
	return list
}

func hasRule(event string) bool {
	return slices.ContainsFunc(table, func(r rule) bool { return r.On == event })
}

// decided reports whether a rule, or an unconditional refusal, names the event in the phase.
func decided(event string, p domain.Phase) bool {
	return slices.ContainsFunc(table, func(r rule) bool { return r.On == event && r.From.has(p) }) ||
		slices.ContainsFunc(written, func(r refusalRule) bool {
			return len(r.When) == 0 && slices.Contains(r.On, event) && r.From.has(p)
		})
}

// refusal is the first refusal that fits, or nil.
func (s *step) refusal() error {
	name := s.event.Name()
	for i := range refusals {
		if r := &refusals[i]; r.fits(s, name) {
			return s.refuse(r.Code, "%s", r.Text)
		}
	}
	return nil
}

func (r *refusalRule) fits(s *step, name string) bool {
	if !r.From.has(s.session.Phase) || !r.names(name) {
		return false
	}
	for _, g := range r.When {
		if !g(s) {
			return false
		}
	}
	return true
}

func (r *refusalRule) names(event string) bool {
	if slices.Contains(r.On, event) {
		return true
	}
	return r.On == nil
}

// refuse makes the error that names phase and event.
func (s *step) refuse(code domain.Code, format string, args ...any) *domain.Error {
	text := fmt.Sprintf(format, args...)
	return &domain.Error{
		Code: code, Message: text, Outcome: domain.NotApplied, Session: s.session,
		Err: fmt.Errorf("%s refused in %s", s.event.Name(), s.session.Phase),
	}
}
