package orchestrator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/ids"
	"github.com/fermata-dev/fermata/orchestrator/machine"
)

// errLetGo ends a driver that no longer owns its session; its work is discarded.
var errLetGo = errors.New("the session is driven elsewhere, or was cut")

// driver carries one session from effect to effect until it rests.
type driver struct {
	loop *Loop
	// caller is the driver of the session that has called this one's agent; nil for a
	// session that holds the slot.
	caller *driver
	cut    context.CancelCauseFunc
	// workspace of its session.
	workspace string
	// epoch is the claim under which it drives.
	epoch int64
	// lapses counts how often the lease of this node was over when it began.
	lapses int64
	// yields: another session waits for the slot.
	yields atomic.Bool
	// storing: it waits for nothing but the database.
	storing atomic.Bool

	view    *domain.View    // as of the last commit
	session *domain.Session // with the steps that are not committed yet
	effect  domain.Effect
	since   time.Time // of the latest transition

	// pending are the events taken since the last commit and change what they decided:
	// if the commit finds that something came in from outside, they are decided again.
	pending []domain.Event
	change  *domain.Change

	raw      *domain.RawAnswer // the answer in hand, between its receipt and its parsing
	answerID string            // the id under which it was streamed
	said     *strings.Builder  // the text of the latest call of the AI as it came
	streamed string            // the message whose streamed text is neither settled nor discarded
	underWay *domain.Roundtrip // the call of the AI that has not come back
	tools    clientTools       // of the program that sent the round's message
}

func newDriver(l *Loop, view *domain.View, effect domain.Effect, cut context.CancelCauseFunc) *driver {
	return &driver{
		loop: l, cut: cut, workspace: view.Session.WorkspaceID, epoch: view.Session.RunEpoch,
		view: view, session: view.Session, effect: effect, since: view.Session.LastEventTime,
		lapses: l.lapses.Load(),
	}
}

// run is the loop: perform, decide, commit (which publishes), and again.
func (d *driver) run(ctx context.Context) {
	defer d.survive()
	for effect := d.effect; effect != domain.DoNothing; {
		d.safePoint(ctx)
		err := d.awaitLease(ctx, effect)
		if err == nil {
			effect, err = d.advance(ctx, effect)
		}
		if err != nil {
			d.letGo(ctx, err)
			return
		}
	}
}

// safePoint releases the slot if another session waits for it and everything is stored. The session that
// takes it cuts this driver.
func (d *driver) safePoint(ctx context.Context) {
	if top := d.top(); top.yields.Load() && d.change == nil && ctx.Err() == nil {
		d.loop.cfg.Hooks.SafePoint(ctx, top.session)
	}
}

// top is the driver of the session that holds the slot.
func (d *driver) top() *driver {
	for d.caller != nil {
		d = d.caller
	}
	return d
}

// advance performs an effect, has the machine decide about its outcome, and returns the effect that follows.
func (d *driver) advance(ctx context.Context, effect domain.Effect) (domain.Effect, error) {
	done, err := d.performed(ctx, effect)
	if err != nil || done.committed {
		return done.next, err
	}
	return d.take(ctx, done.event)
}

// result is the outcome of an effect: an event, about which the machine decides next. An effect that changes data
// commits itself, with the decision about its outcome in the same transaction. Its result is the effect that follows.
type result struct {
	event     domain.Event
	committed bool
	next      domain.Effect // only if it is committed
}

// outcome is the result of an effect that the driver commits.
func outcome(event domain.Event, err error) (result, error) { return result{event: event}, err }

// performed is perform with retries while the database is unavailable: a failed attempt has no effect. A
// driver that gave up would leave its session at work without a driver.
func (d *driver) performed(ctx context.Context, effect domain.Effect) (result, error) {
	for attempt := 0; ; attempt++ {
		done, err := d.perform(ctx, effect)
		if err == nil || !transient(err) || ctx.Err() != nil {
			return done, err
		}
		d.loop.cfg.Log.Warn().Err(err).Str("session", d.session.ID).Int("attempt", attempt+1).
			Msg("the work waits for the database")
		if err := d.pause(ctx, attempt); err != nil {
			return result{}, err
		}
	}
}

// perform does the effect's external work and returns its outcome.
func (d *driver) perform(ctx context.Context, effect domain.Effect) (result, error) {
	switch effect {
	case domain.DoEnrich:
		return outcome(d.enrich(ctx))
	case domain.DoCallAI:
		return outcome(d.callAI(ctx))
	case domain.DoParse:
		return outcome(d.parse(ctx))
	case domain.DoRunQueries:
		return outcome(d.runQueries(ctx))
	case domain.DoRunActions:
		return d.runActions(ctx)
	case domain.DoCompact:
		return outcome(d.compact(ctx))
	default:
		return result{}, fmt.Errorf("perform effect %q: unknown", effect)
	}
}

// present is the view with the session as it is with the steps that are not stored yet.
func (d *driver) present() *domain.View {
	view := *d.view
	view.Session = d.session
	return &view
}

// take lets the machine decide about an event and commits, unless the effect that
// follows may run before.
func (d *driver) take(ctx context.Context, event domain.Event) (domain.Effect, error) {
	d.pending = append(d.pending, event)
	step, err := d.decide(event)
	if err != nil {
		return domain.DoNothing, err
	}
	if step.Uncommitted {
		return step.Effect, nil
	}
	return d.commit(ctx, step.Effect)
}

// decide runs the machine on the current state and collects its decisions.
func (d *driver) decide(event domain.Event) (*domain.Step, error) {
	step, err := machine.Run(d.session, event, d.loop.policy(d.view))
	if err != nil {
		return nil, fmt.Errorf("decide about %s: %w", event.Name(), err)
	}
	d.session = step.Session
	d.change = d.change.Then(step.Change, step.Session)
	d.remember(step.Change)
	return step, nil
}

// remember keeps the view true between commits: what was planned, finished, spent or
// taken from the inbox in a step that is not stored yet. Executions are shared pointers:
// one that has ended stays in the list, since its answer is reported whole.
func (d *driver) remember(change *domain.Change) {
	view := *d.view
	view.Inbox = slices.DeleteFunc(slices.Clone(view.Inbox), func(i *domain.InboxItem) bool {
		return slices.Contains(change.InboxDone, i.ID)
	})
	var planned []*domain.Execution
	for _, e := range append(slices.Clone(view.Planned), change.Executions...) {
		if e.MessageID != d.session.State.AnswerID || d.session.State.AnswerID == "" {
			continue
		}
		if i := slices.IndexFunc(planned, func(p *domain.Execution) bool { return p.ID == e.ID }); i >= 0 {
			planned[i] = e
		} else {
			planned = append(planned, e)
		}
	}
	view.Planned = planned
	if !d.session.KeepsAgents() {
		view.Agents = nil
	}
	for _, call := range change.Roundtrips {
		if call.Usage.Cost != nil {
			view.Spent = view.Spent.Plus(*call.Usage.Cost)
		}
	}
	d.view = &view
}

// commit stores the decisions. After a concurrent change the same events are decided again on the new
// state; if another driver owns the session now, all work in hand is discarded.
func (d *driver) commit(ctx context.Context, effect domain.Effect) (domain.Effect, error) {
	d.storing.Store(true)
	defer d.storing.Store(false)
	for attempt := 0; ; attempt++ {
		err := d.loop.cfg.Store.Commit(ctx, d.change)
		switch {
		case err == nil:
			d.committed()
			return effect, nil
		case errors.Is(err, domain.ErrStale):
			if effect, err = d.again(ctx); err == nil {
				continue
			}
			if !transient(err) {
				return domain.DoNothing, err
			}
			if err := d.pause(ctx, attempt); err != nil {
				return domain.DoNothing, err
			}
		case transient(err):
			// An answer that was paid for is in hand: wait for the database, don't drop it.
			d.loop.cfg.Log.Warn().Err(err).Str("session", d.session.ID).Int("attempt", attempt+1).
				Msg("the commit waits for the database")
			if err := d.pause(ctx, attempt); err != nil {
				return domain.DoNothing, err
			}
			if effect, err = d.again(ctx); err != nil && !transient(err) {
				return domain.DoNothing, err
			}
		default:
			return domain.DoNothing, fmt.Errorf("commit: %w", err)
		}
	}
}

// committed: what was in hand is stored.
func (d *driver) committed() {
	d.view = d.present()
	if d.streamed != "" && d.raw == nil {
		d.loop.cfg.Streams.Settle(d.session.ID, d.streamed)
		d.streamed = ""
	}
	for _, t := range d.change.Transitions {
		if t.SessionID != d.session.ID {
			continue // of an agent that it has called
		}
		d.loop.cfg.Observer.PhaseLeft(t.From, t.At.Sub(d.since))
		d.since = t.At
	}
	if !d.session.Phase.Working() && d.session.State.RoundRoundtrips > 0 {
		if begun, known := ids.Time(d.session.State.RoundID); known {
			d.loop.cfg.Observer.RoundEnded(d.session.State.RoundRoundtrips, d.since.Sub(begun))
		}
	}
	for _, e := range d.change.Executions {
		if e.Status.Final() {
			d.loop.cfg.Observer.Executed(e)
		}
	}
	d.pending, d.change = nil, nil
}

// again reloads the session and decides the pending events once more.
func (d *driver) again(ctx context.Context) (domain.Effect, error) {
	view, err := d.loop.cfg.Store.View(ctx, d.session.WorkspaceID, d.session.ID)
	if err != nil {
		return domain.DoNothing, fmt.Errorf("reload: %w", err)
	}
	if view.Session.RunEpoch != d.session.RunEpoch {
		d.loop.cfg.Observer.Fenced()
		return domain.DoNothing, errLetGo
	}
	if view.Session.Version == d.session.Version && d.change == nil {
		return domain.DoNothing, nil
	}
	d.view, d.session, d.change = view, view.Session, nil
	var effect domain.Effect
	for i, event := range d.pending {
		step, err := d.decide(event)
		if err != nil {
			return domain.DoNothing, err
		}
		if effect = step.Effect; effect == domain.DoNothing {
			// It rests now, for example because it lost the slot: what followed is done again when it continues.
			d.pending = d.pending[:i+1]
			break
		}
	}
	return effect, nil
}

// pause waits before the n-th new try: 100 ms, doubling up to 5 s.
func (d *driver) pause(ctx context.Context, attempt int) error {
	timer := time.NewTimer(min(100*time.Millisecond<<min(attempt, 6), 5*time.Second))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return errLetGo
	}
}

// policy is the machine's input, as of now.
func (l *Loop) policy(view *domain.View) *domain.Policy {
	estimate, _ := l.Estimate(view)
	return view.Policy(l.cfg.Clock(), l.cfg.NewID, estimate, RetryDelay(view.Workspace.Settings.NetworkRetry))
}

// transient errors pass by themselves: the database is away, busy or full.
func transient(err error) bool {
	switch domain.ErrorCode(err) {
	case domain.CodeUnavailable, domain.CodeDatabaseBusy, domain.CodeStorageFull, domain.CodeOutcomeUnknown:
		return true
	}
	return false
}
