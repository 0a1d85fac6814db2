package scheduler

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// wakeups holds when to check which lane, and what else the loop must process. Times are computed,
// not polled; all of it can be rebuilt from the database. It never blocks: the door adds to it, the loop
// takes from it.
type wakeups struct {
	mu      sync.Mutex
	looks   map[domain.LaneRef]time.Time // with Lane "": all lanes of a workspace
	waiting map[domain.LaneRef]uint64    // lanes with a waiting session at the last check: the number of the note
	notes   uint64
	timers  time.Time         // the earliest due time; zero: none is known
	entries map[string]bool   // workspaces in which entries were made that may start a run
	ended   []*domain.Session // runs that have ended
	// sweeping: a sweep was requested. unswept: the latest one failed.
	sweeping bool
	unswept  bool
	woken    chan struct{}
}

func newWakeups() *wakeups {
	return &wakeups{
		looks: map[domain.LaneRef]time.Time{}, waiting: map[domain.LaneRef]uint64{}, entries: map[string]bool{},
		woken: make(chan struct{}, 1),
	}
}

// look asks for a look at a lane at a time; the earliest one counts.
func (w *wakeups) look(lane domain.LaneRef, at time.Time) {
	w.mu.Lock()
	if have, ok := w.looks[lane]; !ok || at.Before(have) {
		w.looks[lane] = at
	}
	w.mu.Unlock()
	w.poke()
}

// dueLooks removes and returns the lanes that are due.
func (w *wakeups) dueLooks(now time.Time) []domain.LaneRef {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []domain.LaneRef
	for lane, at := range w.looks {
		if !at.After(now) {
			all = append(all, lane)
			delete(w.looks, lane)
		}
	}
	return all
}

// timer sets when a session or an automation must be checked.
func (w *wakeups) timer(at time.Time) {
	if w.note(at) {
		w.poke()
	}
}

// note keeps the earliest time, and reports whether it is the given one; the zero time is ignored.
func (w *wakeups) note(at time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at.IsZero() || !w.timers.IsZero() && !at.Before(w.timers) {
		return false
	}
	w.timers = at
	return true
}

// forgetTimers has the timers read again from the database.
func (w *wakeups) forgetTimers(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timers = now
}

// comesDue notes when a committed change is due.
func (w *wakeups) comesDue(change *domain.Change) {
	for _, write := range change.Sessions {
		if at := write.Session.WakeAt; at != nil && !write.Delete {
			w.timer(*at)
		}
	}
	for _, t := range change.Tasks {
		if t.DueAt != nil {
			w.timer(*t.DueAt)
		}
	}
	for _, row := range change.Rows {
		if at := row.DueAt(); at != nil {
			w.timer(*at)
		}
	}
}

// begin reports whether something is due, and whether a full sweep is needed, for example after a failed
// one. Known times are cleared before they are read, not after: a timer set during the due work must
// survive.
func (w *wakeups) begin(now time.Time, sweep bool) (due, sweeps bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	due = !w.timers.IsZero() && !w.timers.After(now)
	sweeps = sweep || due && w.unswept
	if due || sweeps {
		w.timers, w.unswept = time.Time{}, false
	}
	return due, sweeps
}

// retry schedules the due work again after it failed; unswept: it was a sweep.
func (w *wakeups) retry(now time.Time, unswept bool) {
	w.mu.Lock()
	w.unswept = w.unswept || unswept
	w.mu.Unlock()
	w.note(now.Add(retryLook))
}

// next is the earliest known time.
func (w *wakeups) next(earliest time.Time) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, at := range w.looks {
		if at.Before(earliest) {
			earliest = at
		}
	}
	if !w.timers.IsZero() && w.timers.Before(earliest) {
		earliest = w.timers
	}
	return earliest
}

// waits notes that a session may be waiting in a lane, until a later check clears it; it returns the
// number of this note.
func (w *wakeups) waits(lane domain.LaneRef) (number uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes++
	w.waiting[lane] = w.notes
	return w.notes
}

// clearWaiters clears the note with this number. A newer note remains.
func (w *wakeups) clearWaiters(lane domain.LaneRef, number uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting[lane] == number {
		delete(w.waiting, lane)
	}
}

// hasWaiters reports whether a session may be waiting in a lane; with Lane "" in any of a workspace. What another node
// reports is noted for the workspace, until its lanes are looked at.
func (w *wakeups) hasWaiters(lane domain.LaneRef) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if lane.Lane != "" {
		return w.waiting[lane] != 0 || w.waiting[domain.LaneRef{Workspace: lane.Workspace}] != 0
	}
	for at := range w.waiting {
		if at.Workspace == lane.Workspace {
			return true
		}
	}
	return false
}

// entriesMade asks for a look at the events of a workspace.
func (w *wakeups) entriesMade(workspace string) {
	w.mu.Lock()
	w.entries[workspace] = true
	w.mu.Unlock()
	w.poke()
}

// takeEntries takes the workspaces in which entries were made.
func (w *wakeups) takeEntries() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.entries
	w.entries = map[string]bool{}
	return taken
}

// runEnded asks for a look at the automation of a run that has ended.
func (w *wakeups) runEnded(run *domain.Session) {
	w.mu.Lock()
	w.ended = append(w.ended, run)
	w.mu.Unlock()
	w.poke()
}

// takeEnded takes the runs that have ended.
func (w *wakeups) takeEnded() []*domain.Session {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.ended
	w.ended = nil
	return taken
}

func (w *wakeups) anyEnded() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.ended) > 0
}

// sweep asks for a look at all workspaces.
func (w *wakeups) sweep() {
	w.mu.Lock()
	w.sweeping = true
	w.mu.Unlock()
	w.poke()
}

func (w *wakeups) takeSweep() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	asked := w.sweeping
	w.sweeping = false
	return asked
}

func (w *wakeups) poke() {
	select {
	case w.woken <- struct{}{}:
	default:
	}
}

// ComesDue has the loop check at a time, for changes that were not written through the door.
func (d *Door) ComesDue(at time.Time) { d.wakeups.timer(at) }
