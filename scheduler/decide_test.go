package scheduler

import (
	"errors"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// TestDecide covers the decisions about a request by the state of the slot: run now, queue, or pre-empt.
func TestDecide(t *testing.T) {
	activation := domain.SessionActivationRequested{}
	keeps := func(s *domain.Session) { s.State.TotalRoundtrips, s.State.KeepsSlotUntil = 3, 4 }
	reserved := func(s *domain.Session) { s.State.ReservedCost = 0.5 }
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		want    string
	}{
		"a message, the slot is free": {
			view(chat("me", domain.Idle), nil), event(text("m")),
			"slot_free; me CALLING_AI claimed slot; -> call_ai",
		},
		"a message to who has the slot": {func() *domain.View {
			me := chat("me", domain.Idle)
			return view(me, me)
		}(), event(text("m")), "holds_it_already; me CALLING_AI claimed slot; -> call_ai"},
		"another chat rests": {
			view(chat("me", domain.Idle), chat("other", domain.Idle)), event(text("m")),
			"chat_switch; other IDLE claimed; me CALLING_AI claimed slot; -> call_ai",
		},
		"another chat works": {
			view(chat("me", domain.Idle), chat("other", domain.CallingAI, reserved)), event(text("m")),
			"chat_switch; other CALLING_AI claimed suspended; me CALLING_AI claimed slot; -> call_ai",
		},
		"a run works": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI)), event(text("m")),
			"chat_preempts; other CALLING_AI claimed suspended; me CALLING_AI claimed slot; -> call_ai",
		},
		"a run works, and chats are polite": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite), event(text("m")),
			"chat_preempts_off; me IDLE queued; +me:0 chat_preempts_off",
		},
		"a run's action is under way": {
			view(chat("me", domain.Idle), run("other", domain.ExecutingActions), actionRuns), event(text("m")),
			"action_runs; me IDLE queued; +me:0 action_runs",
		},
		"a run keeps it for a roundtrip": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI, keeps)), event(text("m")),
			"automations_turn; me IDLE queued; +me:0 automations_turn",
		},
		"it stands first, before runs": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite, queued(run("first", domain.ExecutingEnrichments))), event(text("m")),
			"chat_preempts_off; me IDLE queued; +me:-1 chat_preempts_off"},
		"and another chat gives its place up": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite, queued(chat("first", domain.Idle), run("then", domain.CallingAI))), event(text("m")),
			"chat_preempts_off; me IDLE queued; first IDLE queued; +first:0 in_turn; +me:-1 chat_preempts_off"},
		"a message to who works waits in its session": {func() *domain.View {
			me := chat("me", domain.CallingAI)
			return view(me, me)
		}(), event(text("m")), "holds_it_already; me CALLING_AI slot"},
		"a message to who was set aside re-enters": {
			view(chat("me", domain.CallingAI, suspended), nil), event(text("m")),
			"slot_free; me CALLING_AI claimed slot; -> call_ai",
		},
		"a message to a poisoned session waits": {
			view(chat("me", domain.CallingAI, poisoned), nil), event(text("m")),
			"set_apart; me CALLING_AI",
		},
		"a message to a suspect waits": {
			view(chat("me", domain.CallingAI, aside(noon.Add(time.Minute))), nil), event(text("m")),
			"set_apart; me CALLING_AI queued; +me:0 set_apart",
		},
		"a suspect's own place": {func() *domain.View {
			me := chat("me", domain.CallingAI, aside(noon.Add(time.Minute)))
			return view(me, nil, queued(me), func(v *domain.View) { v.Queue[0].Reason = domain.QueuedSuspect })
		}(), event(text("m")), "set_apart; me CALLING_AI queued; +me:1 suspect"},
		"a suspect whose time has come": {func() *domain.View {
			me := chat("me", domain.CallingAI, aside(noon))
			return view(me, nil, queued(me), func(v *domain.View) { v.Queue[0].Reason = domain.QueuedSuspect })
		}(), unattended(activation), "slot_free; me CALLING_AI claimed slot; -me; -> call_ai"},
		"a run asks, the slot is free": {
			view(run("me", domain.ExecutingEnrichments), nil), event(activation),
			"slot_free; me EXECUTING_ENRICHMENTS claimed slot; -> enrich",
		},
		"a run asks, others wait": {
			view(run("me", domain.ExecutingEnrichments), nil, queued(run("first", domain.CallingAI))), event(activation),
			"behind_the_others; me EXECUTING_ENRICHMENTS claimed queued; +me:0 behind_the_others",
		},
		"a run asks, a chat rests": {
			view(run("me", domain.ExecutingEnrichments), chat("other", domain.Idle)), event(activation),
			"holder_busy; me EXECUTING_ENRICHMENTS claimed queued; +me:0 holder_busy",
		},
		"a run asks, the chat rests for long": {view(run("me", domain.ExecutingEnrichments), chat("other", domain.Idle, func(s *domain.Session) {
			s.LastEventTime = noon.Add(-time.Hour)
		})), event(activation), "holder_inactive; other IDLE claimed; me EXECUTING_ENRICHMENTS claimed slot; -> enrich"},
		"a run asks for the third time, keeps its place": {func() *domain.View {
			me := run("me", domain.CallingAI)
			return view(me, run("other", domain.CallingAI), queued(run("first", domain.CallingAI), me))
		}(), event(activation), "holder_busy; me CALLING_AI claimed queued; +me:2 holder_busy"},
		"who is taken up leaves the queue": {func() *domain.View {
			me := run("me", domain.CallingAI)
			return view(me, nil, queued(me))
		}(), unattended(activation), "slot_free; me CALLING_AI claimed slot; -me; -> call_ai"},
		"its own earlier run has not ended": {
			view(run("me", domain.ExecutingEnrichments), nil, func(v *domain.View) { v.BehindOwnRun = true }), event(activation),
			"own_run_goes; me EXECUTING_ENRICHMENTS claimed queued; +me:0 own_run_goes",
		},
		"a stop, regardless of the slot": {
			view(chat("me", domain.CallingAI, suspended), run("other", domain.CallingAI)), event(domain.StopRequested{By: "me"}),
			"me COMPLETED claimed",
		},
		"a stop of who queues": {func() *domain.View {
			me := run("me", domain.ExecutingEnrichments)
			return view(me, run("other", domain.CallingAI), queued(me))
		}(), event(domain.StopRequested{By: "me"}), "me COMPLETED claimed; -me"},
		"an eviction": {func() *domain.View {
			me := chat("me", domain.Idle)
			return view(me, me)
		}(), event(domain.SessionEvicted{}), "me IDLE claimed"},
		"a resumption of a poisoned session": {
			view(chat("me", domain.CallingAI, poisoned), nil), event(domain.SessionResumed{}),
			"slot_free; me CALLING_AI claimed slot; -> call_ai",
		},
		"the round again": {
			view(chat("me", domain.Idle), run("other", domain.CallingAI), polite), event(domain.RoundRequested{}),
			"chat_preempts_off; me IDLE queued; +me:0 chat_preempts_off",
		},
		"nothing happens": {view(chat("me", domain.Idle), nil), event(nil), "me IDLE"},
		"a new chat with a message": {
			view(nil, nil), EventRequest{Target{New: chat("me", domain.Idle)}, text("m")},
			"slot_free; me CALLING_AI made claimed slot; -> call_ai",
		},
		"a new chat without one": {
			view(nil, nil), EventRequest{Target: Target{New: chat("me", domain.Idle)}},
			"me IDLE made",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := decideOn(c.view, c.request)
			if err != nil {
				t.Fatal(err)
			}
			same(t, describe(d), c.want)
		})
	}
}

// What is refused, and how: nothing is decided then.
func TestDecideRefuses(t *testing.T) {
	refusing := errors.New("no")
	full := view(chat("me", domain.CallingAI), nil)
	full.Holder, full.Session.HoldsSlot = full.Session, true
	for range domain.MaxWaiting {
		full.Inbox = append(full.Inbox, waitingItem("x", 1))
	}
	busy := text("m")
	busy.IfBusy, busy.Explicit = domain.IfBusyReject, true
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		want    domain.Code
		is      error
	}{
		"the request itself": {
			view(chat("me", domain.Idle), nil),
			refused{why: refusing}, "", refusing,
		},
		"what it also writes": {
			view(chat("me", domain.Idle), nil),
			refused{late: refusing}, "", refusing,
		},
		"a SEED never runs": {
			view(session("me", domain.Seed, domain.Idle), nil),
			event(text("m")), domain.CodeSeedNeverRuns, nil,
		},
		"a run that has ended": {
			view(run("me", domain.Completed), nil),
			event(domain.SessionActivationRequested{}), domain.CodeSessionEnded, nil,
		},
		"a phase that does not take": {
			view(chat("me", domain.Idle), nil),
			event(domain.AIResponseReceived{}), domain.CodeWrongPhase, nil,
		},
		"if_busy=reject": {view(chat("me", domain.CallingAI), nil), event(busy), domain.CodeSessionBusy, nil},
		"without a request, while taken": {
			view(run("me", domain.CallingAI, suspended), chat("other", domain.Idle)),
			unattended(domain.SessionActivationRequested{}), domain.CodeSlotTaken, ErrSlotTaken,
		},
		"too many messages wait": {full, event(text("m")), domain.CodeQueueFull, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := decideOn(c.view, c.request)
			if err == nil || c.is != nil && !errors.Is(err, c.is) || c.want != "" && domain.ErrorCode(err) != c.want {
				t.Fatalf("%v, want %v %v", err, c.want, c.is)
			}
			if d.change != nil || d.step != nil {
				t.Errorf("something was decided: %+v", d)
			}
			var shown *domain.Error
			if errors.As(err, &shown) && (shown.Session == nil || shown.Session.ID != "me") {
				t.Errorf("the refusal shows %+v", shown.Session)
			}
		})
	}
}
