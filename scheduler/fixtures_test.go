package scheduler

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit/repeatable"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// noon is now, in all decisions.
var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// pure is the machine itself: what is decided here is what a server decides.
type pure struct{}

func (pure) Run(s *domain.Session, e domain.Event, p *domain.Policy) (*domain.Step, error) {
	return machine.Run(s, e, p)
}
func (pure) Accepts(s *domain.Session, e domain.Event) error { return machine.Accepts(s, e) }

// noonRules are the rules at noon.
func noonRules() rules {
	return rules{
		moment:  moment{now: noon, newID: repeatable.IDs(), drives: func(string) bool { return false }},
		machine: pure{},
		retry: func(domain.NetworkRetry) func(int) time.Duration {
			return func(int) time.Duration { return time.Second }
		},
		suspectRuns: func(string, time.Time) bool { return false },
		callOut:     func(string, time.Time) bool { return false },
	}
}

// lane is the lane of the sessions here.
var lane = domain.LaneRef{Workspace: "ws", Lane: domain.LaneWorkspace}

func session(id string, kind domain.SessionType, phase domain.Phase, change ...func(*domain.Session)) *domain.Session {
	ago := noon.Add(-time.Minute)
	s := &domain.Session{
		ID: id, WorkspaceID: "ws", Place: domain.Place{Lane: lane.Lane}, Type: kind, Phase: phase, CreatedAt: ago, UpdatedAt: ago, LastEventTime: ago, LastUserInteractionTime: &ago,
	}
	if phase != domain.Idle {
		s.State.RoundID, s.State.RoundCause, s.State.NextReason = "rnd", domain.CauseUserMessage, "USER_MESSAGE"
	}
	for _, c := range change {
		c(s)
	}
	return s
}

func chat(id string, phase domain.Phase, change ...func(*domain.Session)) *domain.Session {
	return session(id, domain.Chat, phase, change...)
}

func run(id string, phase domain.Phase, change ...func(*domain.Session)) *domain.Session {
	return session(id, domain.Run, phase, append([]func(*domain.Session){func(s *domain.Session) {
		s.AutomationID, s.Trigger = "aut", domain.BySchedule
	}}, change...)...)
}

func suspended(s *domain.Session) {
	s.State.Suspended, s.State.SuspendedAt = true, noon.Add(-time.Minute)
}

func poisoned(s *domain.Session) { s.State.Poisoned = true }

// aside makes a suspect that is taken up again at a time.
func aside(at time.Time) func(*domain.Session) {
	return func(s *domain.Session) { s.State.Suspicion = domain.Suspicion{Deaths: 2, ReenterAt: at} }
}

// view is what a decision about a session reads; holder has the slot (nil: it is free).
func view(s, holder *domain.Session, change ...func(*domain.View)) *domain.View {
	v := &domain.View{Workspace: &domain.Workspace{ID: "ws", Settings: domain.DefaultSettings()}, Session: s, Holder: holder, LaneView: domain.LaneView{Lane: lane.Lane}}
	if holder != nil {
		holder.HoldsSlot = true
	}
	for _, c := range change {
		c(v)
	}
	return v
}

// queued puts a row for each session into the queue, the longest waiting first.
func queued(sessions ...*domain.Session) func(*domain.View) {
	return func(v *domain.View) {
		for i, s := range sessions {
			since := noon.Add(time.Duration(i-len(sessions)) * time.Minute)
			s.QueuedAt = &since
			v.Queue = append(v.Queue, domain.QueueRow{WorkspaceID: "ws", SessionID: s.ID, Lane: lane.Lane, Session: s, Number: int64(i + 1), Since: since})
		}
	}
}

func polite(v *domain.View) { v.Workspace.Settings.ChatPreempts = false }

func actionRuns(v *domain.View) {
	v.HolderPlanned = []*domain.Execution{{ID: "exe", Kind: domain.KindAction, Status: domain.ExecStarted}}
}

func text(id string) domain.UserMessageSent {
	return domain.UserMessageSent{IfBusy: domain.IfBusyEnqueue, Message: &domain.Message{
		ID: id, WorkspaceID: "ws", Sender: domain.SenderUser, Status: domain.MessageStored, Rich: &domain.RichContent{LinearText: "Hello."},
	}}
}

// event is the request by which an event comes to the view's session.
func event(e domain.Event) Request { return EventRequest{Target{Workspace: "ws", Session: "me"}, e} }

func unattended(e domain.Event) Request {
	return EventRequest{Target{Workspace: "ws", Session: "me", Unattended: true}, e}
}

// refused is a request that is refused, or whose own writes are.
type refused struct {
	EventRequest
	why, late error
}

func (r refused) event(*domain.View, moment) (domain.Event, error) { return r.Event, r.why }

func (r refused) also(*domain.View, moment, domain.Event, *domain.Change) error { return r.late }

// planned is a plan that was made before.
type planned struct {
	plan Plan
	why  error
}

func (p planned) Plan(*automation.View) (Plan, error) { return p.plan, p.why }

// decideOn decides about a request at noon.
func decideOn(v *domain.View, r Request) (decision, error) {
	return noonRules().decide(v, deliveryOf(r))
}

// describe writes a decision in words: the reason, the sessions afterwards in the order of their writes, the queue,
// and the effects that are started.
func describe(d decision) string {
	var parts []string
	if d.verdict.Reason != "" {
		parts = append(parts, string(d.verdict.Reason))
	}
	for _, w := range d.change.Sessions {
		parts = append(parts, written(w))
	}
	for _, row := range d.change.Enqueue {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("+%s:%d %s", row.SessionID, row.Number, row.Reason)))
	}
	for _, id := range d.change.Dequeue {
		parts = append(parts, "-"+id)
	}
	if d.step.Effect != domain.DoNothing {
		parts = append(parts, "-> "+string(d.step.Effect))
	}
	return strings.Join(parts, "; ")
}

func written(w domain.SessionWrite) string {
	s := w.Session
	text := s.ID + " " + string(s.Phase)
	for _, flag := range []struct {
		name string
		set  bool
	}{
		{"made", w.Insert}, {"deleted", w.Delete}, {"claimed", w.Claim}, {"slot", s.HoldsSlot}, {"suspended", s.State.Suspended}, {"queued", s.QueuedAt != nil},
	} {
		if flag.set {
			text += " " + flag.name
		}
	}
	return text
}

// same compares two descriptions.
func same(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func wakeAt(at time.Time) func(*domain.Session) { return func(s *domain.Session) { s.WakeAt = &at } }
