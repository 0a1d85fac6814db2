package slot

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

func row(id string, number int64, reason string) domain.QueueRow {
	return domain.QueueRow{SessionID: id, Number: number, Reason: reason, Since: noon.Add(-time.Minute)}
}

// Where a row stands once it is in the queue: 1 is next.
func TestPlace(t *testing.T) {
	queue := []domain.QueueRow{row("a", 1, ""), row("b", 2, ""), row("turn", 3, domain.QueuedInTurn)}
	for name, c := range map[string]struct {
		row  domain.QueueRow
		want int
	}{
		"a new one, before those in turn": {row("new", 0, ""), 3},
		"a new one in turn":               {row("new", 0, domain.QueuedInTurn), 4},
		"before all others":               {row("new", -1, ""), 1},
		"one that keeps its place":        {row("b", 2, ""), 2},
		"the first that keeps it":         {row("a", 1, ""), 1},
		"one that moves behind all":       {row("a", 0, domain.QueuedInTurn), 3},
	} {
		if got := Place(queue, c.row); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	ordered := []domain.QueueRow{row("answer", 4, ""), row("run", domain.QueueInOrder+3, ""), row("turn", domain.QueueBehindAll+1, domain.QueuedInTurn)}
	if got := Place(ordered, domain.QueueRow{SessionID: "new", BeforeRuns: true}); got != 2 {
		t.Errorf("an answer's place is %d: it goes behind the other answers, and before the runs", got)
	}
	if Place(nil, row("new", 0, "")) != 1 {
		t.Error("the only one is not next")
	}
}

// 0 means the last place, so it is not before the other numbers, unless only sessions that wait for their turn are
// left.
func TestFirstNumber(t *testing.T) {
	for _, c := range []struct {
		first domain.QueueRow
		want  int64
	}{
		{row("a", 5, ""), 4}, {row("a", domain.QueueInOrder, ""), 1}, {row("a", 1, ""), -1}, {row("a", -1, ""), -2}, {row("a", 5, domain.QueuedInTurn), 0}, {row("a", 5, domain.QueuedSuspect), 0},
	} {
		if got := FirstNumber([]domain.QueueRow{c.first, row("b", 9, "")}); got != c.want {
			t.Errorf("before %d %q: %d, want %d", c.first.Number, c.first.Reason, got, c.want)
		}
	}
}

// Who stands in the queue already keeps its place, or at least how long it has waited.
func TestNewRow(t *testing.T) {
	chat := &domain.Session{ID: "me", WorkspaceID: "ws", Type: domain.Chat}
	run := &domain.Session{ID: "me", WorkspaceID: "ws", Type: domain.Run, Trigger: domain.BySchedule}
	suspect := &domain.Session{ID: "me", Type: domain.Chat, State: domain.SessionState{Suspicion: domain.Suspicion{Deaths: 2, ReenterAt: noon}}}
	busy := Verdict{Reason: HolderBusy}
	for name, c := range map[string]struct {
		queue   []domain.QueueRow
		session *domain.Session
		event   domain.Event
		want    domain.QueueRow
	}{
		"a message": {nil, chat, domain.UserMessageSent{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: ByMessage, Reason: "holder_busy", Since: noon}},
		"a message that interrupts": {nil, chat, domain.InterruptRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: ByMessage, Reason: "holder_busy", Since: noon}},
		"an activation": {nil, chat, domain.SessionActivationRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: ByPerson, Reason: "holder_busy", Since: noon}},
		"a run": {nil, run, domain.SessionActivationRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: domain.BySchedule, Reason: "holder_busy", Since: noon}},
		"the round again": {nil, chat, domain.RoundRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: ToRunAgain, Reason: "holder_busy", Since: noon}},
		"an answer": {nil, chat, domain.ValidationReceived{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: ToResume, Reason: string(domain.CauseResume), Since: noon}},
		"it keeps its place": {[]domain.QueueRow{row("other", 6, ""), row("me", 7, "behind_the_others")}, run, domain.SessionActivationRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Number: 7, Trigger: domain.BySchedule, Reason: "holder_busy", Since: noon.Add(-time.Minute)}},
		"who waited in turn asks now": {[]domain.QueueRow{row("me", 7, domain.QueuedInTurn)}, run, domain.SessionActivationRequested{},
			domain.QueueRow{WorkspaceID: "ws", SessionID: "me", Trigger: domain.BySchedule, Reason: "holder_busy", Since: noon.Add(-time.Minute)}},
		"a suspect stays one": {[]domain.QueueRow{row("me", 7, domain.QueuedSuspect)}, suspect, domain.UserMessageSent{}, row("me", 7, domain.QueuedSuspect)},
	} {
		if got := NewRow(c.queue, c.session, c.event, busy, noon); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

// What the policy is asked, of what was read.
func TestFromView(t *testing.T) {
	me := &domain.Session{ID: "me", Type: domain.Run}
	set := &domain.Session{ID: "me", Type: domain.Run, State: domain.SessionState{Suspended: true, SuspendedAt: noon.Add(-time.Hour)}}
	later := noon.Add(time.Minute)
	blocked, delayed := row("x", 1, ""), row("x", 1, "")
	blocked.Blocked, delayed.NotBefore = true, &later
	started := []*domain.Execution{{Kind: domain.KindAction, Status: domain.ExecStarted}}
	type asked struct {
		ahead                             int
		since                             time.Time
		unattended, returning, actionRuns bool
	}
	for name, c := range map[string]struct {
		view       domain.View
		unattended bool
		want       asked
	}{
		"alone":                               {domain.View{Session: me}, false, asked{since: noon}},
		"behind two":                          {domain.View{Session: me, Queue: []domain.QueueRow{row("a", 1, ""), row("b", 2, "")}}, false, asked{ahead: 2, since: noon}},
		"who waits in turn is not ahead":      {domain.View{Session: me, Queue: []domain.QueueRow{row("a", 1, domain.QueuedInTurn)}}, false, asked{since: noon}},
		"nor who is blocked":                  {domain.View{Session: me, Queue: []domain.QueueRow{blocked}}, false, asked{since: noon}},
		"nor whose time has not come":         {domain.View{Session: me, Queue: []domain.QueueRow{delayed}}, false, asked{since: noon}},
		"in the queue":                        {domain.View{Session: me, Queue: []domain.QueueRow{row("a", 1, ""), row("me", 2, ""), row("b", 3, "")}}, false, asked{ahead: 1, since: noon.Add(-time.Minute)}},
		"a row is a standing request":         {domain.View{Session: me, Queue: []domain.QueueRow{row("me", 2, "")}}, true, asked{since: noon.Add(-time.Minute)}},
		"but for one in turn":                 {domain.View{Session: me, Queue: []domain.QueueRow{row("me", 2, domain.QueuedInTurn)}}, true, asked{since: noon.Add(-time.Minute), unattended: true}},
		"a suspect returns":                   {domain.View{Session: me, Queue: []domain.QueueRow{row("me", 2, domain.QueuedSuspect)}}, true, asked{since: noon.Add(-time.Minute), unattended: true, returning: true}},
		"set aside":                           {domain.View{Session: set}, true, asked{since: noon.Add(-time.Hour), unattended: true}},
		"another one's action is under way":   {domain.View{Session: me, Holder: &domain.Session{ID: "h"}, HolderPlanned: started}, false, asked{since: noon, actionRuns: true}},
		"one's own does not stand in the way": {domain.View{Session: me, Holder: me, HolderPlanned: started}, false, asked{since: noon}},
	} {
		c.view.Workspace = &domain.Workspace{Settings: domain.DefaultSettings()}
		r := FromView(&c.view, noon, c.unattended, noon, notSent)
		if got := (asked{r.Ahead, r.Since, r.Unattended, r.Returning, r.ActionRuns}); got != c.want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, c.want)
		}
	}
}

// Which events need the slot: after all others the session does not work.
func TestNeeded(t *testing.T) {
	for _, c := range []struct {
		event domain.Event
		want  bool
	}{
		{domain.UserMessageSent{}, true}, {domain.SessionActivationRequested{}, true}, {domain.RoundRequested{}, true},
		{domain.SessionResumed{}, true}, {domain.ValidationReceived{}, true}, {domain.CommunicationResponseReceived{}, true},
		{domain.CommunicationCancelled{}, true}, {domain.BudgetRaised{}, true}, {domain.BudgetRefused{}, true}, {domain.CompletionRejected{}, true},
		{domain.CompletionConfirmed{}, false}, {domain.StopRequested{}, false}, {domain.SchedulerHeartbeat{}, false}, {domain.SessionEvicted{}, false},
		{domain.InterruptRequested{}, false}, {domain.InterruptRequested{Then: &domain.UserMessageSent{}}, true}, {domain.NetworkAvailable{}, false},
	} {
		if got := Needed(c.event); got != c.want {
			t.Errorf("%T: %v", c.event, got)
		}
	}
}
