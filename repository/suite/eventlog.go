package suite

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// EventLog is what the streams of events read of a store.
type EventLog interface {
	Events(ctx context.Context, workspace, session string, after int64, size domain.PageSize) ([]*domain.LogEvent, bool, error)
	EventBounds(ctx context.Context, workspace string) (oldest, newest int64, err error)
}

// Logged is an empty log under test, and how its workspace comes to have events.
type Logged struct {
	EventLog
	Workspace string
	// Add writes one event for each of the sessions, "" for one of the workspace itself.
	Add func(sessions ...string)
	// Prune takes out all that was written so far; every session has ended.
	Prune func()
}

// RunEventLog verifies what readers rely on, for any log of events including the fake of the tests.
func RunEventLog(t *testing.T, open func(t *testing.T) Logged) {
	for name, story := range map[string]func(l *logged){
		"bounds":                   (*logged).bounds,
		"events after a number":    (*logged).after,
		"a page has so many rows":  (*logged).rows,
		"a page has so many bytes": (*logged).bytes,
	} {
		t.Run(name, func(t *testing.T) { story(&logged{world: &world{TB: t}, Logged: open(t)}) })
	}
}

type logged struct {
	*world
	Logged
}

func (l *logged) page(session string, after int64, size domain.PageSize) (seqs []int64, more bool) {
	l.Helper()
	list, more, err := l.EventLog.Events(l.Context(), l.Workspace, session, after, size)
	l.ok(err)
	seqs = []int64{}
	for _, e := range list {
		seqs = append(seqs, e.Seq)
	}
	return seqs, more
}

func (l *logged) bounded(oldest, newest int64, what string) {
	l.Helper()
	o, n, err := l.EventBounds(l.Context(), l.Workspace)
	l.ok(err)
	l.equal([]int64{o, n}, []int64{oldest, newest}, what)
}

func (l *logged) bounds() {
	l.bounded(0, 0, "bounds of an empty log")
	l.Add("ses_a", "", "ses_b")
	l.bounded(1, 3, "bounds of a log")
	l.Prune()
	l.bounded(4, 3, "bounds of a log that was pruned whole")
	seqs, _ := l.page("", 0, domain.PageSize{Rows: 10})
	l.equal(seqs, []int64{}, "what is left")
	l.Add("")
	l.bounded(4, 4, "bounds of what came after")
}

func (l *logged) after() {
	l.Add("ses_a", "ses_b", "", "ses_a")
	wide := domain.PageSize{Rows: 10}
	for _, c := range []struct {
		session string
		after   int64
		want    []int64
	}{{"", 0, []int64{1, 2, 3, 4}}, {"", 2, []int64{3, 4}}, {"", 4, []int64{}}, {"ses_a", 0, []int64{1, 4}}, {"ses_a", 1, []int64{4}}, {"ses_none", 0, []int64{}}} {
		seqs, more := l.page(c.session, c.after, wide)
		l.equal(seqs, c.want, "events of "+c.session)
		l.equal(more, false, "more of them")
	}
	list, _, err := l.EventLog.Events(l.Context(), l.Workspace, "", 0, wide)
	l.ok(err)
	l.equal([]int64{list[0].SessionSeq, list[1].SessionSeq, list[2].SessionSeq, list[3].SessionSeq}, []int64{1, 1, 0, 2}, "a session's own count")
	l.equal(list[0].Session == nil && list[0].Message == nil && len(list[0].Data) > 0, true, "an event that is read is its data")
	none, _, err := l.EventLog.Events(l.Context(), "elsewhere", "", 0, wide)
	l.ok(err)
	l.equal(len(none), 0, "events of another workspace")
}

func (l *logged) rows() {
	l.Add("ses_a", "", "ses_a")
	for _, c := range []struct {
		after int64
		rows  int
		want  []int64
		more  bool
	}{{0, 2, []int64{1, 2}, true}, {2, 2, []int64{3}, false}, {0, 3, []int64{1, 2, 3}, false}} {
		seqs, more := l.page("", c.after, domain.PageSize{Rows: c.rows})
		l.equal(seqs, c.want, "a page")
		l.equal(more, c.more, "more after it")
	}
}

func (l *logged) bytes() {
	l.Add("ses_a", "ses_a")
	seqs, more := l.page("", 0, domain.PageSize{Rows: 10, Bytes: 1})
	l.equal(seqs, []int64{1}, "the first, however long it is")
	l.equal(more, true, "more after it")
	seqs, more = l.page("", 0, domain.PageSize{Rows: 10, Bytes: 1, Strict: true})
	l.equal(seqs, []int64{}, "what fits, strictly")
	l.equal(more, true, "more after nothing")
}

// logOfDatabase is the log of an empty database.
func logOfDatabase(open Open) func(t *testing.T) Logged {
	return func(t *testing.T) Logged {
		t.Helper()
		w := newWorld(t, open)
		all := map[string]*domain.Session{}
		return Logged{EventLog: w.Events, Workspace: domain.DefaultWorkspace, Add: func(sessions ...string) {
			for _, id := range sessions {
				s := all[id]
				switch {
				case id == "":
					c := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: T0}
					c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
					w.ok(w.Commit(w.Context(), c))
				case s == nil:
					all[id] = w.stored(id, func(s *domain.Session) { s.ID, s.Type, s.Phase = id, domain.Run, domain.Completed })
				default:
					c := w.change(s)
					c.Emit(domain.LogEvent{SessionID: id, Type: domain.LogNotice, Notice: &domain.Notice{Text: "x"}})
					w.ok(w.Commit(w.Context(), c))
				}
			}
		}, Prune: func() { w.ok(w.Events.PruneEvents(w.Context(), T0.Add(time.Hour))) }}
	}
}
