package machine

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

var (
	ada   = domain.Author{ID: "key_ada", Name: "Ada", Role: domain.RoleAdmin}
	mia   = domain.Author{ID: "key_mia", Name: "Mia", Role: domain.RoleMember}
	older = domain.Author{ID: "key_old"} // from before roles were recorded
)

func (w *world) from(by domain.Author, text string) *domain.Message {
	m := w.message(text)
	m.SetBy(by)
	return m
}

// TestARoundActsWithTheRightsOfItsAuthors: of who began it, and of the least of those who
// speak in it.
func TestARoundActsWithTheRightsOfItsAuthors(t *testing.T) {
	steer := func(w *world, by domain.Author) domain.Event {
		return domain.UserMessageSent{Message: w.from(by, "and this"), IfBusy: domain.IfBusySteer, Explicit: true}
	}
	for name, c := range map[string]struct {
		first  domain.Author
		events func(w *world) []domain.Event
		want   domain.Role
	}{
		"an admin's round":                    {ada, nil, domain.RoleAdmin},
		"a member's round":                    {mia, nil, domain.RoleMember},
		"one from before roles were recorded": {older, nil, domain.RoleMember},
		"a member joins an admin's":           {ada, func(w *world) []domain.Event { return w.joined(steer(w, mia)) }, domain.RoleMember},
		"an admin joins a member's":           {mia, func(w *world) []domain.Event { return w.joined(steer(w, ada)) }, domain.RoleMember},
		"an admin joins an admin's":           {ada, func(w *world) []domain.Event { return w.joined(steer(w, ada)) }, domain.RoleAdmin},
		"the next round is its own author's": {mia, func(w *world) []domain.Event {
			return append(w.answered(), domain.UserMessageSent{Message: w.from(ada, "again")})
		}, domain.RoleAdmin},
		"who asks for a round again lends it no rights": {mia, func(w *world) []domain.Event {
			return append(w.answered(), domain.RoundRequested{By: ada})
		}, domain.RoleMember},
		"a member asks for an admin's round again": {ada, func(w *world) []domain.Event {
			return append(w.answered(), domain.RoundRequested{By: mia})
		}, domain.RoleMember},
		"what was started outside ends on behalf of the same": {ada, func(w *world) []domain.Event {
			return append(w.answered(), domain.ExternalResultReceived{TaskID: "tsk_1", Result: domain.CommandResult{Command: "X", Status: domain.ExecSuccess}})
		}, domain.RoleAdmin},
		"a member answers an admin's question": {ada, func(w *world) []domain.Event {
			return append(w.answered(part{"ask", ""}), domain.CommunicationResponseReceived{Answer: domain.Answer{Decision: domain.Decision{Approved: true, By: mia}, Text: "yes"}})
		}, domain.RoleMember},
		"a member says no with words of their own": {ada, func(w *world) []domain.Event {
			return append(w.answered(part{"action", "CREATE_ZONE"}, part{"validate", ""}), domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Comment: "do X instead", By: mia}}})
		}, domain.RoleMember},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, domain.Chat)
			w.must(domain.UserMessageSent{Message: w.from(c.first, "hello")})
			if c.events != nil {
				for _, e := range c.events(w) {
					w.must(e)
				}
			}
			if got := w.s.ActsAs(); got != c.want {
				t.Errorf("it acts with the rights of %q, want %q", got, c.want)
			}
		})
	}
}

func (w *world) must(e domain.Event) {
	if _, err := w.do(e); err != nil {
		w.t.Fatalf("%s: %v", e.Name(), err)
	}
}

// answered are the events of an answer with these parts.
func (w *world) answered(parts ...part) []domain.Event {
	received, parsed := w.answer("well", parts)
	return []domain.Event{received, parsed}
}

// joined has a message come while the AI is called, and join at the next call.
func (w *world) joined(message domain.Event) []domain.Event {
	events := append([]domain.Event{message}, w.answered(part{"badaction", "X"})...)
	return events
}

// TestARunActsForWhoConfiguredIt until a member speaks in it.
func TestARunActsForWhoConfiguredIt(t *testing.T) {
	w := newWorld(t, domain.Run)
	w.must(domain.EnrichmentsExecuted{})
	for _, e := range w.answered(part{"action", "CREATE_ZONE"}, part{"validate", ""}) {
		w.must(e)
	}
	if got := w.s.ActsAs(); got != domain.RoleAdmin {
		t.Fatalf("a run acts with the rights of %q", got)
	}
	w.must(domain.ValidationReceived{Answer: domain.Answer{Decision: domain.Decision{Comment: "rather this", By: mia}}})
	if _, err := w.grant(false); err != nil { // it waited without the slot
		t.Fatal(err)
	}
	if got := w.s.ActsAs(); got != domain.RoleMember {
		t.Errorf("with a member's words in it, it acts with the rights of %q", got)
	}
}
