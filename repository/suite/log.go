package suite

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// logLine is all that a reader is given of an event.
func logLine(e *domain.LogEvent) string {
	return fmt.Sprintf("%d %d %s %s %s %s %s", e.Seq, e.SessionSeq, e.WorkspaceID, e.SessionID, e.Type, e.At, e.Data)
}

// sent returns the events of one session, or of all with "", as they were when their change was reported.
func (w *world) sent(session string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*domain.LogEvent
	for _, c := range w.reported {
		for _, e := range c.Events {
			if session == "" || e.SessionID == session {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b *domain.LogEvent) int { return int(a.Seq - b.Seq) })
	return idsOf(all, logLine)
}

// read turns the pages of the log.
func (w *world) read(session string, after int64, size domain.PageSize) []string {
	got := []string{}
	for {
		page, more, err := w.Events.Events(w.Context(), domain.DefaultWorkspace, session, after, size)
		w.ok(err)
		got = append(got, idsOf(page, logLine)...)
		if !more {
			return got
		}
		if len(page) == 0 {
			w.Fatalf("an empty page after %d says that there is more", after)
		}
		after = page[len(page)-1].Seq
	}
}

// mixed commits changes of which each is about several sessions and the workspace, with
// short events and long ones.
func (w *world) mixed(sessions []*domain.Session, n int) {
	for i := range n {
		a, b := sessions[i%len(sessions)], sessions[(i+1)%len(sessions)]
		c := w.change(a)
		c.Sessions = append(c.Sessions, domain.SessionWrite{Session: b})
		c.At = T0.Add(time.Duration(i) * time.Second)
		for j := range rand.IntN(40) {
			of := []*domain.Session{a, a, a, b}[rand.IntN(4)]
			switch rand.IntN(5) {
			case 0:
				c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
			case 1:
				w.move(c, of, of.Phase, fmt.Sprintf("Event%d", j))
			default:
				c.Emit(domain.LogEvent{SessionID: of.ID, Type: domain.LogNotice, Notice: &domain.Notice{Text: strings.Repeat("ü\"", rand.IntN(3000))}})
			}
		}
		w.ok(w.Commit(w.Context(), c))
	}
}

// logAsSent: wherever a reader begins, and however long its pages are, it is given each
// event once, in order, and byte for byte as it was sent.
func logAsSent(w *world) {
	sessions := []*domain.Session{w.stored("first"), w.stored("second"), w.stored("third")}
	w.mixed(sessions, 25)
	all := w.sent("")
	for after := range len(all) + 1 {
		w.equal(w.read("", int64(after), domain.PageSize{Rows: 1000, Bytes: 64 << 20}), all[after:], fmt.Sprintf("the log after %d", after))
	}
	for _, size := range []domain.PageSize{{Rows: 1}, {Rows: 2}, {Rows: 7}, {Rows: 1000, Bytes: 10_000}} {
		w.equal(w.read("", 0, size), all, fmt.Sprintf("the log in pages of %+v", size))
	}
	for _, s := range sessions {
		own := w.sent(s.ID)
		w.equal(w.read(s.ID, 0, domain.PageSize{Rows: 3}), own, s.Name+"'s events in pages")
		for i, line := range own {
			var seq int64
			if _, err := fmt.Sscan(line, &seq); err != nil {
				w.Fatal(err)
			}
			w.equal(w.read(s.ID, seq, domain.PageSize{Rows: 1000, Bytes: 64 << 20}), own[i+1:], fmt.Sprintf("%s's events after %d", s.Name, seq))
		}
	}
	w.sound()
}

// longPruning: a log that is pruned in several steps, of which none ends where a change
// does, loses what is old and nothing else.
func longPruning(w *world) {
	s := w.stored("ends")
	c := w.change(s)
	w.move(c, s, domain.Completed, "StopRequested")
	w.ok(w.Commit(w.Context(), c))
	other := w.stored("lives")
	for i := range 400 {
		c := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: T0.Add(time.Duration(i) * time.Minute)}
		for range 29 {
			c.Emit(domain.LogEvent{Type: domain.LogQueueChanged})
		}
		w.ok(w.Commit(w.Context(), c))
	}
	c = w.change(other)
	c.At = T0.Add(1000 * time.Minute)
	c.Emit(domain.LogEvent{SessionID: other.ID, Type: domain.LogNotice, Notice: &domain.Notice{}})
	w.ok(w.Commit(w.Context(), c))
	all := w.sent("")
	for _, minutes := range []int{1, 350, 399} {
		w.ok(w.Events.PruneEvents(w.Context(), T0.Add(time.Duration(minutes)*time.Minute)))
		first := 3 + 29*minutes // what comes after the sessions' own
		oldest, newest, err := w.Events.EventBounds(w.Context(), domain.DefaultWorkspace)
		w.ok(err)
		w.equal([]int64{oldest, newest}, []int64{int64(first) + 1, int64(len(all))}, "bounds")
		w.equal(w.read("", int64(first), domain.PageSize{Rows: 1000}), all[first:], "what is left")
		w.equal(w.read(other.ID, 0, domain.PageSize{Rows: 1000}), w.sent(other.ID), "the events of one that lives")
		w.sound()
	}
}
