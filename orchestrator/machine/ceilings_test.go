package machine

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// begun is a world whose session is about to be called for the first time in a round.
func begun(t *testing.T, kind domain.SessionType) *world {
	t.Helper()
	w := newWorld(t, kind)
	w.replans = true
	if kind == domain.Chat {
		w.step(domain.UserMessageSent{Message: w.message("go")})
	} else {
		w.step(domain.SessionActivationRequested{})
		w.step(domain.EnrichmentsExecuted{})
	}
	return w
}

func (w *world) step(e domain.Event) *domain.Step {
	w.t.Helper()
	step, err := w.do(e)
	if err != nil {
		w.t.Fatalf("%s in %s: %v", e.Name(), w.s.Phase, err)
	}
	return step
}

// answers lets the AI answer, and what it asked for run; the failing-th fails (0: none).
func (w *world) answers(text string, failing int, parts ...part) {
	w.t.Helper()
	received, parsed := w.answer(text, parts)
	w.step(received)
	w.step(parsed)
	for w.s.Phase == domain.ExecutingDataQueries || w.s.Phase == domain.ExecutingActions {
		e, _ := w.ran(failing, domain.ExecFailed)
		w.step(e)
	}
}

func (w *world) unreadable(text string) {
	w.t.Helper()
	received, parsed := w.answer(text, nil)
	w.step(received)
	w.step(domain.ParseErrorOccurred{MessageID: parsed.MessageID, Raw: parsed.Raw, Problem: "no JSON"})
}

// commandsRun counts the executions that really ran.
func (w *world) commandsRun() int {
	n := 0
	for _, x := range w.executions {
		if x.StartedAt != nil && x.CallID != "" {
			n++
		}
	}
	return n
}

// TestLimitsAreCeilings: what is allowed n times happens n times, and what would be one
// more does not, for both kinds of session.
func TestLimitsAreCeilings(t *testing.T) {
	several := func(kind string, n int) []part {
		var parts []part
		for i := range n {
			parts = append(parts, part{kind, fmt.Sprintf("COMMAND_%d", i)})
		}
		return parts
	}
	limits := []struct {
		name string
		set  func(*domain.Limits, *int)
		ask  func(w *world, i int)
		// count is what the limit counts; corrections are the calls after the first.
		count func(w *world) int
	}{
		{"max_autonomous_roundtrips", func(l *domain.Limits, n *int) { l.MaxAutonomousRoundtrips = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 0, part{"query", fmt.Sprint("Q", i)}) },
			func(w *world) int { return w.s.State.TotalRoundtrips }},
		{"max_data_query_iterations", func(l *domain.Limits, n *int) { l.MaxDataQueryIterations = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 0, part{"query", fmt.Sprint("Q", i)}) }, (*world).commandsRun},
		{"max_action_retries", func(l *domain.Limits, n *int) { l.MaxActionRetries = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 1, part{"action", fmt.Sprint("A", i)}) },
			func(w *world) int { return w.s.State.TotalRoundtrips - 1 }},
		{"max_format_error_retries", func(l *domain.Limits, n *int) { l.MaxFormatErrorRetries = n },
			func(w *world, i int) { w.unreadable(fmt.Sprint(i)) },
			func(w *world) int { return w.s.State.TotalRoundtrips - 1 }},
		{"max_commands_per_session", func(l *domain.Limits, n *int) { l.MaxCommandsPerSession = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 0, part{"query", fmt.Sprint("Q", i)}) }, (*world).commandsRun},
		{"max_commands_per_session", func(l *domain.Limits, n *int) { l.MaxCommandsPerSession = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 0, several("query", 10)...) }, (*world).commandsRun},
		{"max_commands_per_session", func(l *domain.Limits, n *int) { l.MaxCommandsPerSession = n },
			func(w *world, i int) { w.answers(fmt.Sprint(i), 0, several("action", 10)...) }, (*world).commandsRun},
		{"max_commands_per_session", func(l *domain.Limits, n *int) { l.MaxCommandsPerSession = n },
			func(w *world, i int) {
				w.answers(fmt.Sprint(i), 0, append(several("query", 2), part{"action", "A"}, part{"action", "B"}, part{"complete", ""})...)
			}, (*world).commandsRun},
	}
	for i, c := range limits {
		for _, kind := range []domain.SessionType{domain.Chat, domain.Run} {
			for _, allowed := range []int{0, 1, 3, 4} {
				t.Run(fmt.Sprintf("%d %s %s %d", i, c.name, kind, allowed), func(t *testing.T) {
					if c.name == "max_autonomous_roundtrips" && allowed == 0 {
						t.Skip("there is no first call")
					}
					w := begun(t, kind)
					c.set(&w.settings.Limits.Chat, &allowed)
					c.set(&w.settings.Limits.Automation, &allowed)
					if kind == domain.Run && c.name != "max_autonomous_roundtrips" {
						w.settings.Limits.Automation.MaxAutonomousRoundtrips = nil
					}
					for i := 0; w.s.Phase == domain.CallingAI && i < 50; i++ {
						c.ask(w, i)
					}
					if n := c.count(w); n != allowed {
						t.Errorf("%d are allowed, and there were %d", allowed, n)
					}
					rests := map[domain.SessionType]domain.Phase{domain.Chat: domain.Idle, domain.Run: domain.AwaitingSessionClosure}[kind]
					last := w.messages[len(w.messages)-1]
					if w.s.Phase != rests || last.System == nil || last.System.Type != domain.SystemLimitReached {
						t.Errorf("it ends in %s with %+v", w.s.Phase, last)
					}
				})
			}
		}
	}
}

// TestWhatFitsRuns verifies that if an answer has more commands than the limit allows, the first ones run; the AI
// receives an error for each of the others, no approval is requested for them, and the answer's message for the
// case of success is not shown.
func TestWhatFitsRuns(t *testing.T) {
	w, four := begun(t, domain.Chat), 4
	w.settings.Limits.Chat.MaxCommandsPerSession = &four
	parts := []part{{"query", "Q1"}, {"query", "Q2"}, {"validate", ""}, {"post", "All_done."}}
	for i := range 5 {
		parts = append(parts, part{"action", fmt.Sprint("A", i)})
	}
	received, parsed := w.answer("so", parts)
	w.step(received)
	w.step(parsed)
	e, _ := w.ran(0, "")
	read := e.(domain.DataQueriesExecuted)
	read.Actions.Reasons = []domain.ApprovalReason{{Level: domain.LevelZone, Text: "the zone asks for it"}}
	w.step(read)
	if open := w.open(); len(open) != 1 || len(open[0].Actions) != 2 {
		t.Fatalf("the person is asked about %+v, want the two actions that can run", open)
	}
	w.step(domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true}}})
	e, _ = w.ran(0, "")
	step := w.step(e)
	if w.commandsRun() != 4 || w.s.State.CommandsRun != 4 || w.s.Phase != domain.Idle {
		t.Fatalf("%d commands ran, counted %d, in %s", w.commandsRun(), w.s.State.CommandsRun, w.s.Phase)
	}
	if !slices.Equal(step.Change.Limits, []string{"max_commands_per_session"}) {
		t.Errorf("the limits of the step are %v", step.Change.Limits)
	}
	reported := 0
	for _, m := range w.messages {
		if m.Text == "All done." {
			t.Error("the words for a success are said")
		}
		if m.System != nil {
			for _, r := range m.System.CommandResults {
				if r.Error != nil && r.Error.Code == codeLimit && r.Status == domain.ExecCancelled {
					reported++
				}
			}
		}
	}
	if reported != 3 {
		t.Errorf("the AI receives %d errors of commands that did not run, want 3", reported)
	}
	// The chat is not lost: the AI is called for the next message, and may only talk.
	w.step(domain.UserMessageSent{Message: w.message("and now?")})
	if w.s.Phase != domain.CallingAI {
		t.Errorf("the next message leads to %s", w.s.Phase)
	}
}

// TestACompletionThatALimitCutIsNone: an automation that could not do all that it wanted
// is not done.
func TestACompletionThatALimitCutIsNone(t *testing.T) {
	w, one := begun(t, domain.Run), 1
	w.settings.Limits.Automation.MaxCommandsPerSession = &one
	w.answers("done", 0, part{"action", "A"}, part{"action", "B"}, part{"complete", ""})
	if w.s.Phase != domain.AwaitingSessionClosure || w.s.State.Waiting.Reason != domain.EndLimitReached {
		t.Errorf("it goes to %s", w.s.Phase)
	}
}

// TestResultsFromOutsideAreNoWords: a chat's limit counts since the last user message, so
// that a round which a late result begins has what is left of it.
func TestResultsFromOutsideAreNoWords(t *testing.T) {
	w, two := begun(t, domain.Chat), 2
	w.settings.Limits.Chat.MaxAutonomousRoundtrips = &two
	w.answers("one", 0)
	for range 2 {
		w.step(domain.ExternalResultReceived{TaskID: "tsk_9", Result: domain.CommandResult{Command: "X", Status: domain.ExecSuccess}})
		if w.s.Phase == domain.CallingAI {
			w.answers("again", 0)
		}
	}
	if w.s.State.TotalRoundtrips != 2 {
		t.Errorf("%d calls since the last user message, 2 are allowed", w.s.State.TotalRoundtrips)
	}
}
