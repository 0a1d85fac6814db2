package scheduler

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// net is how often every workspace with waiting sessions is looked at in any case:
// what a lost hint delayed comes then.
const net = 5 * time.Minute

// agenda knows when to look at which workspace: who waits for its slot gets it when it
// comes free, or when its holder has been inactive for long. Times are computed, not
// polled; all of it can be built afresh from the database.
type agenda struct {
	door *Door

	mu       sync.Mutex
	looks    map[string]time.Time // by workspace
	waiting  map[string]uint64    // workspaces in which somebody waited at the last look: the number of the note
	notes    uint64
	timers   time.Time         // the earliest due time; zero: none is known
	watches  map[string]bool   // workspaces in which entries were made that may start a run
	finished []*domain.Session // runs that have ended
	sweeping bool              // a sweep was asked for
	unswept  bool              // the latest one could not read
	woken    chan struct{}
	stop     context.CancelFunc
	done     chan struct{}
}

func newAgenda(d *Door) *agenda {
	return &agenda{door: d, looks: map[string]time.Time{}, waiting: map[string]uint64{}, watches: map[string]bool{}, woken: make(chan struct{}, 1)}
}

// look asks for a look at a workspace at a time; the earliest one counts.
func (a *agenda) look(workspace string, at time.Time) {
	a.mu.Lock()
	if have, ok := a.looks[workspace]; !ok || at.Before(have) {
		a.looks[workspace] = at
	}
	a.mu.Unlock()
	a.poke()
}

// timer says that a session or an automation must be looked at then.
func (a *agenda) timer(at time.Time) {
	if a.noted(at) {
		a.poke()
	}
}

// comesDue notes when what was committed comes due, whoever decided it.
func (a *agenda) comesDue(change *domain.Change) {
	for _, write := range change.Sessions {
		if at := write.Session.WakeAt; at != nil && !write.Delete {
			a.timer(*at)
		}
	}
	for _, write := range change.Automations {
		if at := write.Automation.NextAt; at != nil {
			a.timer(*at)
		}
	}
}

// waits notes that somebody may wait in a workspace, until a look that begins later says
// otherwise; it gives the number of this note.
func (a *agenda) waits(workspace string) (number uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.notes++
	a.waiting[workspace] = a.notes
	return a.notes
}

// nobodyWaits says so as of the time of a note. Whoever noted something since knows
// better.
func (a *agenda) nobodyWaits(workspace string, number uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting[workspace] == number {
		delete(a.waiting, workspace)
	}
}

func (a *agenda) somebodyWaits(workspace string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.waiting[workspace] != 0
}

func (a *agenda) poke() {
	select {
	case a.woken <- struct{}{}:
	default:
	}
}

// Start begins to look.
func (d *Door) Start(ctx context.Context) error {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	d.agenda.stop, d.agenda.done = stop, make(chan struct{})
	go func() {
		defer close(d.agenda.done)
		d.agenda.run(ctx)
	}()
	return nil
}

// Stop ends it and waits.
func (d *Door) Stop(context.Context) error {
	if d.agenda.stop != nil {
		d.agenda.stop()
		<-d.agenda.done
	}
	return nil
}

// Rested is told when a driver came to rest: if its session gave the slot up, the next
// one is looked for.
func (d *Door) Rested(s *domain.Session) {
	if !s.HoldsSlot || d.agenda.somebodyWaits(s.WorkspaceID) {
		d.agenda.look(s.WorkspaceID, d.cfg.Clock())
	}
	if s.WakeAt != nil {
		d.agenda.timer(*s.WakeAt)
	}
	if s.Type == domain.Run && s.Phase == domain.Completed {
		d.agenda.ended(s)
	}
}

func (a *agenda) run(ctx context.Context) {
	var sweep time.Time // the next sweep over all workspaces: at once, then every 5 minutes
	for {
		now := a.door.cfg.Clock()
		sweeping := a.sweepAsked() || !now.Before(sweep)
		if sweeping {
			sweep = now.Add(net)
		}
		a.tick(ctx, now, sweeping)
		a.lookAfterRuns(ctx)
		a.watchAll(ctx)
		for _, workspace := range a.due(now) {
			if at, again := a.door.lookAt(ctx, workspace); again {
				a.look(workspace, at)
			}
		}
		timer := time.NewTimer(min(a.next(sweep).Sub(a.door.cfg.Clock()), net))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-a.woken:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// Tick does all that is due by now, once, and returns when it is done: what the
// scheduler's goroutine does each time it wakes. Tests with a clock of their own call it.
func (d *Door) Tick(ctx context.Context) error {
	a := d.agenda
	for range maxPasses {
		now := d.cfg.Clock()
		a.mu.Lock()
		a.timers = now // whatever was known: read it again
		a.mu.Unlock()
		a.tick(ctx, now, true)
		a.lookAfterRuns(ctx)
		a.watchAll(ctx)
		again := false
		for _, workspace := range a.due(now) {
			if at, more := d.lookAt(ctx, workspace); more {
				a.look(workspace, at)
				again = again || !at.After(now)
			}
		}
		if !again && len(a.finishedRuns()) == 0 {
			break
		}
	}
	return ctx.Err()
}

// maxPasses bounds one Tick: what is due again and again is a mistake.
const maxPasses = 20

func (a *agenda) finishedRuns() []*domain.Session {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.finished
}

// due takes the workspaces whose time has come.
func (a *agenda) due(now time.Time) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for workspace, at := range a.looks {
		if !at.After(now) {
			all = append(all, workspace)
			delete(a.looks, workspace)
		}
	}
	return all
}

// next is the earliest known time.
func (a *agenda) next(earliest time.Time) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, at := range a.looks {
		if at.Before(earliest) {
			earliest = at
		}
	}
	if !a.timers.IsZero() && a.timers.Before(earliest) {
		earliest = a.timers
	}
	return earliest
}

// retryLook is when a look that failed is taken again.
const retryLook = 2 * time.Second

// lookAt gives the slot of a workspace to whose turn it is. It says when to look again,
// if somebody goes on waiting.
func (d *Door) lookAt(ctx context.Context, workspace string) (time.Time, bool) {
	// Noted before it is read: a holder that comes to rest meanwhile must ask for another
	// look, because this one may still have seen it at work.
	note := d.agenda.waits(workspace)
	w, err := d.cfg.Agenda.Waiters(ctx, workspace)
	if err != nil {
		if domain.ErrorCode(err) == domain.CodeNotFound {
			d.agenda.nobodyWaits(workspace, note)
			return time.Time{}, false
		}
		d.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("could not look who waits for the slot")
		return d.cfg.Clock().Add(retryLook), ctx.Err() == nil
	}
	d.holdBack(w, w.At)
	turn := Next(w, w.At)
	if len(w.Queue)+len(w.Aside) == 0 && w.DueSince.IsZero() {
		d.agenda.nobodyWaits(workspace, note)
	}
	if turn.Session == nil {
		if turn.Due {
			d.startDue(ctx, workspace)
		}
		return turn.Again, !turn.Again.IsZero()
	}
	_, err = d.pass(ctx, request{
		workspace: workspace, session: turn.Session.ID, byItself: true, event: always(domain.SessionActivationRequested{}),
	})
	switch {
	case err == nil:
		d.granted(turn)
		return turn.Again, !turn.Again.IsZero()
	case domain.ErrorCode(err) == domain.CodeSlotTaken || refused(err):
		return d.cfg.Clock().Add(retryLook), true // somebody was faster
	default:
		d.cfg.Log.Warn().Err(err).Str("workspace", workspace).Str("session", turn.Session.ID).Msg("could not grant the slot")
		return d.cfg.Clock().Add(retryLook), ctx.Err() == nil
	}
}

// startDue starts what is due, now that nobody waits.
func (d *Door) startDue(ctx context.Context, workspace string) {
	if err := d.fireDue(ctx, workspace); err != nil && ctx.Err() == nil {
		d.cfg.Log.Warn().Err(err).Str("workspace", workspace).Msg("what is due could not be started; trying again")
		d.agenda.look(workspace, d.cfg.Clock().Add(retryLook))
	}
}

// granted tells of a turn that has come.
func (d *Door) granted(turn Turn) {
	s := turn.Session
	d.cfg.Log.Debug().Str("workspace", s.WorkspaceID).Str("session", s.ID).Str("reason", string(turn.Verdict.Reason)).
		Msg("the slot is granted to a session that waited")
	if !turn.Since.IsZero() {
		preempted := s.Type == domain.Chat && turn.Verdict.Displaced != nil
		d.cfg.Observer.Waited(d.cfg.Clock().Sub(turn.Since), preempted)
	}
}

// SafePoint is called by a driver that was asked to yield, where it can be cut without
// harm: between its effects, with everything stored.
func (d *Door) SafePoint(ctx context.Context, s *domain.Session) {
	if at, again := d.lookAt(ctx, s.WorkspaceID); again {
		d.agenda.look(s.WorkspaceID, at)
	}
}

// ended asks for a look at the automation of a run that has ended.
func (a *agenda) ended(s *domain.Session) {
	a.mu.Lock()
	a.finished = append(a.finished, s)
	a.mu.Unlock()
	a.poke()
}

// lookAfterRuns looks at the automations whose runs have ended.
func (a *agenda) lookAfterRuns(ctx context.Context) {
	a.mu.Lock()
	finished := a.finished
	a.finished = nil
	a.mu.Unlock()
	for _, s := range finished {
		a.door.runEnded(ctx, s)
	}
}
