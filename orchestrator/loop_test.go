package orchestrator

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/providers"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func wantSaid(t *testing.T, w *world, want ...string) {
	t.Helper()
	if got := w.said(); !slices.Equal(got, want) {
		t.Errorf("the record is\n  %q, want\n  %q", got, want)
	}
}

func TestAPlainTurnCostsTwoCommits(t *testing.T) {
	w := newWorld(t)
	w.model.text("Hello.")
	w.say("hi")
	s := w.rest()
	wantSaid(t, w, "USER:hi", "AI:Hello.")
	if s.Phase != domain.Idle || w.commits != 2 {
		t.Errorf("phase %s after %d commits, want IDLE after 2", s.Phase, w.commits)
	}
	if s.Usage.InputTokens != 10 || s.Model != "fake-1" {
		t.Errorf("usage %+v, model %q were not counted", s.Usage, s.Model)
	}
}

func TestQueriesCostOneCommitMoreAndActionsTwo(t *testing.T) {
	w := newWorld(t)
	w.model.calls("ZONES", "{}")
	w.model.text("None yet.")
	w.say("which zones?")
	w.rest()
	wantSaid(t, w, "USER:which zones?", "AI:", "DATA_ADDED", "AI:None yet.")
	if w.commits != 3 {
		t.Errorf("a round of queries took %d commits, want 3", w.commits)
	}
	w.commits = 0
	w.model.calls("CREATE_ZONE", `{"name": "Health"}`)
	w.model.text("Done.")
	w.say("make one")
	w.rest()
	if got := w.said()[4:]; !slices.Equal(got, []string{"USER:make one", "AI:", "ACTIONS_EXECUTED", "AI:Done."}) {
		t.Errorf("the round of actions is %q", got)
	}
	if w.commits != 4 {
		t.Errorf("a round of actions took %d commits, want 4", w.commits)
	}
}

// A message that comes while the AI answers bumps the version. The answer was paid
// for: it is decided again, not asked again, and then the message has its turn.
func TestAMessageDuringACallIsFoldedInAndTheAnswerKept(t *testing.T) {
	w := newWorld(t)
	w.model.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
		w.say("and more")
		return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "First.", StopReason: "stop"}}, nil
	})
	w.model.text("Second.")
	w.say("hi")
	w.rest()
	wantSaid(t, w, "USER:hi", "AI:First.", "USER:and more", "AI:Second.")
	if len(w.model.asked) != 2 {
		t.Errorf("the AI was called %d times, want 2", len(w.model.asked))
	}
}

// The same while queries had run: they are reads of the same answer, decided again.
func TestAMessageDuringQueriesDecidesTheSamePlanAgain(t *testing.T) {
	w := newWorld(t)
	w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
		w.deliver(domain.UserMessageSent{IfBusy: domain.IfBusySteer, Message: &domain.Message{
			ID: "msg_steer", WorkspaceID: "default", SessionID: "ses_1", Sender: domain.SenderUser, Status: domain.MessageStored,
			Rich: &domain.RichContent{LinearText: "only the first"},
		}})
		return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, StopReason: "calls",
			Calls: []domain.RawCall{{ID: r.NewID("call"), Name: "ZONES", Arguments: "{}"}}}}, nil
	})
	w.model.text("None.")
	w.say("zones?")
	w.rest()
	wantSaid(t, w, "USER:zones?", "AI:", "DATA_ADDED", "USER:only the first", "AI:None.")
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.runs {
		if e.Status != domain.ExecSuccess {
			t.Errorf("%s ended %s, want SUCCESS", e.Command, e.Status)
		}
	}
}

// Who was fenced writes nothing, and calls its streamed text back.
func TestAFencedDriverWritesNothing(t *testing.T) {
	w := newWorld(t)
	w.streams.watched = true
	w.model.then(func(_ context.Context, r *providers.Request) (*providers.Answer, error) {
		r.OnDelta(providers.Delta{Kind: providers.DeltaText, Text: "Void"})
		w.mu.Lock()
		w.session = w.session.Clone()
		w.session.RunEpoch++
		w.session.Version++
		w.mu.Unlock()
		return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Void", StopReason: "stop"}}, nil
	})
	w.say("hi")
	w.rest()
	wantSaid(t, w, "USER:hi")
	if len(w.streams.discarded) != 1 || w.streams.settled != 0 {
		t.Errorf("discarded %q, settled %d: want the streamed text called back", w.streams.discarded, w.streams.settled)
	}
}

// An answer in hand outlives a database that is away.
func TestAPaidAnswerWaitsForTheDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		away := domain.Errorf(domain.CodeUnavailable, "no database")
		w.model.text("Hello.")
		w.model.answers[0], w.fail = func(f func(context.Context, *providers.Request) (*providers.Answer, error)) func(context.Context, *providers.Request) (*providers.Answer, error) {
			return func(ctx context.Context, r *providers.Request) (*providers.Answer, error) {
				w.mu.Lock()
				w.fail = []error{away, away, away}
				w.mu.Unlock()
				return f(ctx, r)
			}
		}(w.model.answers[0]), nil
		w.say("hi")
		w.rest()
		wantSaid(t, w, "USER:hi", "AI:Hello.")
		if len(w.model.asked) != 1 {
			t.Errorf("the AI was called %d times for one answer", len(w.model.asked))
		}
	})
}

// TestAnUnknownCommitIsReadBackAndNotRepeated verifies that after an error of COMMIT the outcome is determined by
// reading the state.
func TestAnUnknownCommitIsReadBackAndNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.model.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
			w.mu.Lock()
			w.fail = []error{&domain.Error{Code: domain.CodeOutcomeUnknown, Message: "?", Outcome: domain.OutcomeUnknown}}
			w.mu.Unlock()
			return &providers.Answer{Raw: &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: "Once.", StopReason: "stop"}}, nil
		})
		w.say("hi")
		w.rest()
		wantSaid(t, w, "USER:hi", "AI:Once.")
	})
}

func TestAPanicEndsTheRoundAndNotTheProcess(t *testing.T) {
	w := newWorld(t)
	w.model.then(func(context.Context, *providers.Request) (*providers.Answer, error) { panic("a bug in an adapter") })
	w.say("hi")
	s := w.rest()
	wantSaid(t, w, "USER:hi", "NETWORK_ERROR")
	if s.Phase != domain.Idle {
		t.Errorf("phase %s, want IDLE: the person can go on", s.Phase)
	}
	if len(w.roundtrips) != 1 || w.roundtrips[0].Outcome != domain.OutcomeCut {
		t.Errorf("recorded %+v, want the call that was under way, as cut", w.roundtrips)
	}
}

// TestAStepThatFailsForGoodEndsTheRound verifies that a step that fails permanently (for example because its
// message is gone) does not leave an active session without a driver.
func TestAStepThatFailsForGoodEndsTheRound(t *testing.T) {
	w := newWorld(t)
	w.model.text("never asked")
	w.deliver(domain.UserMessageSent{IfBusy: domain.IfBusyEnqueue, Message: &domain.Message{
		ID: "msg_gone", WorkspaceID: "default", SessionID: "ses_1", Sender: domain.SenderUser, Status: domain.MessageStored,
		Rich: &domain.RichContent{LinearText: "look", Commands: []domain.Command{{Type: "ZONES", Params: []byte("{}")}}},
	}}, func() { w.messages = nil })
	if s := w.rest(); s.Phase != domain.Idle || len(w.model.asked) != 0 {
		t.Errorf("phase %s after %d calls, want IDLE after none", s.Phase, len(w.model.asked))
	}
	wantSaid(t, w, "NETWORK_ERROR")
}

func TestErrorsOfTheProviderAreReportedAndRepeatNothing(t *testing.T) {
	w := newWorld(t)
	w.model.then(func(context.Context, *providers.Request) (*providers.Answer, error) {
		return nil, &providers.Error{Class: providers.ClassNetwork, Message: "connection refused"}
	})
	w.say("hi")
	s := w.rest()
	wantSaid(t, w, "USER:hi", "NETWORK_ERROR")
	if s.Phase != domain.Idle || len(w.model.asked) != 1 {
		t.Errorf("phase %s after %d calls, want IDLE after 1", s.Phase, len(w.model.asked))
	}
}

func TestAnUnreadableAnswerIsCorrected(t *testing.T) {
	w := newWorld(t)
	w.model.calls("CREATE_ZONE", `{"name": "Hea`)
	w.model.calls("DELETE_UNIVERSE", `{}`)
	w.model.text("Sorry.")
	w.say("hi")
	w.rest()
	wantSaid(t, w, "USER:hi", "AI:"+domain.InvalidFormatText, "FORMAT_ERROR", "AI:"+domain.InvalidFormatText, "FORMAT_ERROR", "AI:Sorry.")
}

// Stop lets a call end within the grace, then cuts it; the phase stays for the next
// process.
func TestShutdownKeepsThePhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.model.then(func(ctx context.Context, _ *providers.Request) (*providers.Answer, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		w.say("hi")
		synctest.Wait()
		started := time.Now()
		if err := w.loop.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(started); took != time.Second {
			t.Errorf("stopping took %s, want the grace of 1 s", took)
		}
		if w.session.Phase != domain.CallingAI {
			t.Errorf("phase %s, want CALLING_AI for the next process", w.session.Phase)
		}
		w.rest()
	})
}

func TestTheHistoryInMemoryIsTheOneInTheRecord(t *testing.T) {
	w := newWorld(t)
	for range 5 {
		w.model.text("Yes.")
		w.say("again?")
		w.rest()
	}
	last := w.model.asked[len(w.model.asked)-1]
	if len(last.Turns) != 9 || last.Turns[8].Role != ai.TurnUser {
		t.Errorf("the fifth call had %d turns, want 9 ending with the user's", len(last.Turns))
	}
	first := w.model.asked[1]
	if first.Turns[0] != last.Turns[0] {
		t.Error("a turn was built again: its encoded bytes are lost")
	}
}
