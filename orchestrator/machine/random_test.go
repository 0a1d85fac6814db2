package machine

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// TestRandomEvents sends sessions of every type through random events, in and out of
// place, with tight and wide limits; world.check says what must hold after each.
func TestRandomEvents(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		kind := rapid.SampledFrom([]domain.SessionType{domain.Chat, domain.Chat, domain.Run, domain.Run, domain.Agent}).Draw(r, "type")
		w := newWorld(r, kind)
		w.settings = randomSettings(r)
		w.replans = rapid.Bool().Draw(r, "same executions")
		w.ask = rapid.Bool().Draw(r, "ask completion")
		if kind != domain.Chat {
			if _, err := w.do(domain.SessionActivationRequested{}); err != nil {
				r.Fatal(err)
			}
		}
		for range rapid.IntRange(30, 120).Draw(r, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(0, 40).Draw(r, "seconds")) * time.Second)
			if w.wanted && rapid.Bool().Draw(r, "granted") {
				if _, err := w.grant(false); err != nil {
					r.Fatalf("the slot was asked for and granted, then refused: %v", err)
				}
				if w.wanted {
					r.Fatalf("the slot was asked for and granted, and is asked for again in %s", w.s.Phase)
				}
				continue
			}
			w.random(r)
		}
	})
}

func randomSettings(r *rapid.T) domain.Settings {
	s := domain.DefaultSettings()
	small := func(name string) *int {
		if rapid.Bool().Draw(r, name) {
			return nil
		}
		n := rapid.IntRange(0, 4).Draw(r, name+" max")
		return &n
	}
	tokens := int64(rapid.SampledFrom([]int{300, 1000, 1_000_000}).Draw(r, "tokens"))
	room := rapid.SampledFrom([]int{100, 200, 80_000}).Draw(r, "context")
	l := domain.Limits{
		MaxAutonomousRoundtrips: small("roundtrips"), MaxDataQueryIterations: small("queries"), MaxActionRetries: small("retries"),
		MaxFormatErrorRetries: small("format"), MaxCommandsPerSession: small("commands"),
		MaxTokensPerRound: &tokens, ContextBudgetTokens: &room,
	}
	s.Limits = domain.LimitSet{Chat: l, Automation: l}
	s.AutomationValidation = rapid.SampledFrom([]string{"park", "refuse", "allow"}).Draw(r, "validation")
	s.NetworkRetry.Policy = rapid.SampledFrom([]string{"forever", "requeue_after_3"}).Draw(r, "network")
	s.AfterActions = rapid.SampledFrom([]string{domain.AfterActionsCall, domain.AfterActionsRest}).Draw(r, "after actions")
	if rapid.Bool().Draw(r, "expiry") {
		s.ApprovalExpiry = domain.Duration(30 * time.Second)
		s.ApprovalOnExpiry = rapid.SampledFrom([]string{"deny", "keep"}).Draw(r, "on expiry")
	}
	return s
}

// random sends one event: mostly one that is due in this phase, sometimes any.
func (w *world) random(r *rapid.T) {
	if rapid.IntRange(0, 9).Draw(r, "out of place") == 0 {
		e := rapid.SampledFrom(domain.Events).Draw(r, "event")
		if m, ok := e.(domain.UserMessageSent); ok {
			m.Message = w.message("hello")
			e = m
		}
		if plausible(e) {
			_, _ = w.do(e)
		}
		return
	}
	if rapid.IntRange(0, 5).Draw(r, "person") == 0 {
		_, _ = w.do(w.fromPerson(r))
		return
	}
	if e := w.due(r); e != nil {
		_, _ = w.do(e)
	}
}

// plausible leaves out outcomes that no effect would report without content.
func plausible(e domain.Event) bool {
	switch e.(type) {
	case domain.OutsideAsked: // always of a call that is under way
		return false
	case domain.AIResponseParsed, domain.ApprovalStale, domain.StopRequested, domain.WatchdogExpired, domain.SystemErrorOccurred:
		return false // the last three end too many runs early; they have their place below
	}
	return true
}

func (w *world) fromPerson(r *rapid.T) domain.Event {
	var commands []domain.Command
	if rapid.Bool().Draw(r, "with data") {
		commands = []domain.Command{{Type: "TOOL_DATA"}}
	}
	how := rapid.SampledFrom([]domain.IfBusy{"", domain.IfBusyEnqueue, domain.IfBusySteer, domain.IfBusyInterrupt, domain.IfBusyReject}).Draw(r, "if busy")
	message := domain.UserMessageSent{Message: w.message("words", commands...), IfBusy: how, Explicit: how != ""}
	then := message
	if rapid.IntRange(0, 9).Draw(r, "stop") == 0 {
		return domain.StopRequested{By: "ada"}
	}
	return rapid.SampledFrom([]domain.Event{
		message, message, message,
		domain.InterruptRequested{}, domain.InterruptRequested{MessageID: w.id("msg"), PartialText: "so far"}, domain.InterruptRequested{Then: &then},
		domain.SessionResumed{}, domain.SessionResumed{}, domain.SessionSuspended{}, domain.SessionEvicted{},
		domain.RoundRequested{}, domain.SessionActivationRequested{Recovery: true, Died: true},
	}).Draw(r, "person's event")
}

// due is an event that fits the phase.
func (w *world) due(r *rapid.T) domain.Event {
	comment := rapid.SampledFrom([]string{"", "do it differently"}).Draw(r, "comment")
	d := domain.Decision{Approved: rapid.Bool().Draw(r, "approved"), Comment: comment, By: domain.Author{ID: "ada"}}
	pick := func(list ...domain.Event) domain.Event { return rapid.SampledFrom(list).Draw(r, "due") }
	call := &domain.Roundtrip{Usage: domain.Usage{InputTokens: 10}}
	system := domain.SystemErrorOccurred{Code: "authentication", Problem: "wrong key", Roundtrip: call}
	switch w.s.Phase {
	case domain.ExecutingEnrichments:
		now := w.now
		return domain.EnrichmentsExecuted{Executions: []*domain.Execution{{ID: w.id("exe"), Kind: domain.KindQuery, Status: domain.ExecSuccess, StartedAt: &now}}}
	case domain.CallingAI:
		received, _ := w.answer(rapid.SampledFrom([]string{"a", "a", "b"}).Draw(r, "text"), nil)
		return pick(received, received, received, received, domain.NetworkErrorOccurred{Problem: "down", Roundtrip: call}, system, domain.WatchdogExpired{Reason: domain.Same("stalled")}, domain.ContextBudgetExceeded{Roundtrip: call}, domain.SchedulerHeartbeat{Driven: true}, received, received, received)
	case domain.CompactingContext:
		return pick(domain.ContextCompacted{Summary: "what was", Tokens: rapid.IntRange(1, 300).Draw(r, "summary"), Roundtrip: call}, domain.NetworkErrorOccurred{Roundtrip: call}, system, domain.WatchdogExpired{Reason: domain.Same("stalled")})
	case domain.ParsingAIResponse:
		return w.randomParsed(r)
	case domain.ExecutingDataQueries, domain.ExecutingActions:
		status := rapid.SampledFrom([]domain.ExecutionStatus{domain.ExecFailed, domain.ExecUnknown}).Draw(r, "failure")
		e, _ := w.ran(rapid.IntRange(0, 3).Draw(r, "failing"), status)
		if done, ok := e.(domain.ActionsExecuted); ok && rapid.IntRange(0, 2).Draw(r, "task") == 0 {
			return domain.ExternalTasksStarted{Executions: done.Executions, Tasks: []string{w.id("tsk")}}
		}
		if rapid.IntRange(0, 5).Draw(r, "outside asks") == 0 {
			what := rapid.SampledFrom([]string{"sign-in", "answer"}).Draw(r, "wanted of a person")
			if asked := w.wants(what, rapid.SampledFrom([][]string{nil, {"open"}}).Draw(r, "at its server")).(domain.OutsideAsked); asked.Ask.ExecutionID != "" {
				return asked
			}
		}
		if w.s.Phase == domain.ExecutingActions {
			switch rapid.IntRange(0, 7).Draw(r, "course") {
			case 0, 1:
				return w.stale()
			case 2, 3:
				return w.begun(rapid.IntRange(0, 3).Draw(r, "begins"))
			case 4:
				return w.lateResult(nil)
			}
		}
		return e
	case domain.WaitingValidation:
		if planned := w.planned(); rapid.Bool().Draw(r, "part") && len(planned) > 1 {
			d.ApprovedIDs = planned[:1]
		}
		return pick(domain.ValidationReceived{Answer: domain.Answer{Decision: d}}, domain.ValidationReceived{Answer: domain.Answer{Decision: d}}, w.stale(), domain.SchedulerHeartbeat{Driven: true})
	case domain.WaitingCommunicationResponse:
		d.Results = w.clientResults("20°")
		return pick(domain.CommunicationResponseReceived{Answer: domain.Answer{Decision: d, Text: "this one"}}, domain.CommunicationCancelled{Answer: domain.Answer{Decision: d}})
	case domain.WaitingBudget:
		return pick(domain.BudgetRaised{Answer: domain.Answer{Decision: d}}, domain.BudgetRefused{Answer: domain.Answer{Decision: d}}, domain.SchedulerHeartbeat{Driven: true})
	case domain.WaitingExternalResult:
		if len(w.s.State.Waiting.Tasks) == 0 {
			return nil // all have reported; only the slot is missing
		}
		return domain.ExternalResultReceived{TaskID: w.s.State.Waiting.Tasks[0], Result: domain.CommandResult{Command: "X", Status: domain.ExecSuccess}}
	case domain.WaitingCompletionConfirmation:
		return pick(domain.CompletionConfirmed{Answer: domain.Answer{Decision: d}}, domain.CompletionRejected{Answer: domain.Answer{Decision: d}}, domain.SchedulerHeartbeat{Driven: true})
	case domain.WaitingNetworkRetry:
		return pick(domain.SchedulerHeartbeat{Driven: true}, domain.NetworkAvailable{}, domain.NetworkGivenUp{})
	case domain.AwaitingSessionClosure:
		return domain.SchedulerHeartbeat{Driven: true}
	case domain.Completed:
		return w.lateResult(nil)
	case domain.Idle:
		return pick(w.lateResult(nil), w.lateResult([]string{"quiet"}), w.lateResult([]string{"again"}), domain.ExternalResultReceived{TaskID: "tsk_9", Result: domain.CommandResult{Command: "X", Status: domain.ExecSuccess}}, domain.RoundRequested{}, w.retry("", nil), w.retry("in other words", nil), w.randomChoice(r))
	}
	return nil
}

// randomChoice chooses a message of the last round, if there is one.
func (w *world) randomChoice(r *rapid.T) domain.Event {
	round := branch.LastRound(w.messages)
	if len(round) == 0 {
		return domain.RoundRequested{}
	}
	return w.choose(rapid.SampledFrom(round).Draw(r, "chosen").ID)
}

func (w *world) randomParsed(r *rapid.T) domain.Event {
	all := []part{{"query", "ZONES"}, {"badquery", "TOOL_DATA"}, {"action", "CREATE_ZONE"}, {"action", "DELETE_DATA"}, {"badaction", "UPDATE_TOOL"},
		{"cached", "CREATE_DATA"}, {"fetch", "WEB.READ"}, {"outside", "BANK.PAY"}, {"outside", "BANK.CLOSE"}, {"trusted", "BANK.NOTE"}, {"refused", "ASK_PRINCIPAL"}, {"unheard", "COMPLETE"}, {"validate", ""}, {"wish", ""}, {"ask", ""}, {"client", "get_weather"}, {"client", "get_time"}, {"complete", ""}, {"post", "Done."}, {"keep", ""}, {"json", ""}}
	parts := rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 5, func(p part) part { return p }).Draw(r, "parts")
	_, parsed := w.answer("words", parts)
	if rapid.IntRange(0, 6).Draw(r, "unreadable") == 0 {
		return domain.ParseErrorOccurred{MessageID: parsed.MessageID, Raw: parsed.Raw, Problem: "unreadable"}
	}
	return parsed
}
