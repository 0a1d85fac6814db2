package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// laneRead and mainRead are how much of the log is read at once.
	mainRead  = window
	readBytes = 2 << 20
	// retryLook is when a database that failed is asked again.
	retryLook = 2 * time.Second
	// otherOwner is for how long a webhook is left to the node that sends.
	otherOwner = lookEvery
)

// errSecret: nobody can sign.
var errSecret = errors.New("open the secret of a webhook")

// worker sends to one webhook. It is one goroutine while there is something to do, and keeps
// what it knows in between, for as long as nobody else has changed it.
type worker struct {
	loop *Loop
	ref  domain.WebhookRef

	// The loop's: guarded by its lock.
	running bool
	looked  bool      // a look over all workspaces woke it, not an event
	rest    time.Time // until then another node sends
	waiting time.Time // when the oldest event happened that has not arrived

	kick     chan struct{}
	outcomes chan sent
	standing *domain.WebhookStanding
	secrets  []string
	book     *book // nil: not known
}

// sent is an outcome with what was sent.
type sent struct {
	lane    *lane
	outcome outcome
	cut     bool // by our own end
}

func newWorker(l *Loop, ref domain.WebhookRef) *worker {
	return &worker{loop: l, ref: ref, kick: make(chan struct{}, 1), outcomes: make(chan sent, inFlight)}
}

func (w *worker) run(ctx context.Context) {
	for {
		w.work(ctx)
		if w.loop.park(ctx, w) {
			return
		}
	}
}

// work sends until there is nothing left, or somebody else does it.
func (w *worker) work(ctx context.Context) {
	look := true
	for ctx.Err() == nil {
		again, err := w.once(ctx, look)
		switch {
		case errors.Is(err, domain.ErrStale), domain.ErrorCode(err) == domain.CodeNotFound:
			w.forget() // it was changed or taken: begin with what is there
			look = true
			continue
		case err != nil && ctx.Err() == nil:
			w.loop.cfg.Log.Warn().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).
				Msg("could not read or record what is sent to a webhook; trying again")
			sleep(ctx, retryLook)
			look = true
			continue
		case !again:
			return
		}
		look = w.wait(ctx)
	}
	w.finish(ctx)
}

// once reads what is new, sends what may be sent, and records what came of it. It says
// whether there is anything to wait for.
func (w *worker) once(ctx context.Context, look bool) (again bool, err error) {
	if look || w.book == nil {
		mine, err := w.look(ctx)
		if err != nil || !mine {
			return false, err
		}
	}
	if err := w.read(ctx); err != nil {
		return false, err
	}
	w.dispatch()
	if err := w.record(ctx, w.takeLooked()); err != nil {
		return false, err
	}
	w.loop.noteWaiting(w, w.book.oldest())
	return w.busy(), nil
}

// busy: something is on its way, or will be by itself.
func (w *worker) busy() bool {
	return w.book.sending > 0 || w.book.queued > 0 || w.book.lagging > 0 || w.book.scanned < w.standing.Newest
}

// look reads how the webhook stands, and claims it where nobody else sends.
func (w *worker) look(ctx context.Context) (mine bool, err error) {
	now, err := w.loop.cfg.Store.StandingOf(ctx, w.ref)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		w.forget()
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if !now.Enabled {
		w.forget()
		return false, nil
	}
	if !now.Mine && now.OwnerAlive {
		w.forget()
		w.loop.leave(w)
		return false, nil
	}
	if !now.Mine || !now.OwnerAlive {
		if err := w.loop.cfg.Store.ClaimWebhook(ctx, now); errors.Is(err, domain.ErrStale) {
			w.loop.leave(w) // another node was faster; the next look over all says whether it lives
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if w.book == nil || w.standing.Epoch != now.Epoch {
		if err := w.begin(ctx, now); errors.Is(err, errSecret) {
			w.loop.cfg.Log.Error().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).
				Msg("nothing is sent to a webhook: its secret cannot be read; rotate it")
			w.loop.leave(w) // until the next look
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	w.standing = now
	return true, nil
}

// begin takes up a webhook as the database has it.
func (w *worker) begin(ctx context.Context, now *domain.WebhookStanding) error {
	w.forget() // what is on its way of before ends first: nothing overtakes it
	secrets, err := w.loop.cfg.Secrets.open(&now.Webhook, w.loop.cfg.Clock())
	if err != nil {
		return fmt.Errorf("%w: %w", errSecret, err)
	}
	lanes, err := w.loop.cfg.Store.WebhookLanes(ctx, w.ref)
	if err != nil {
		return err
	}
	w.book, w.secrets = newBook(&now.Webhook, lanes), secrets
	if now.SentTo < now.PrunedTo {
		w.book.skip("", now.PrunedTo, prunedText(now.SentTo, now.PrunedTo), w.loop.cfg.Clock())
	}
	return nil
}

func prunedText(from, to int64) string {
	return fmt.Sprintf("the log was pruned up to %d before all was sent: of events %d to %d some may not have been", to, from+1, to)
}

// read takes what is new in the log into the book, as far as it has room.
func (w *worker) read(ctx context.Context) error {
	b, now := w.book, w.loop.cfg.Clock()
	for b.takesMore() && b.scanned < w.standing.Newest {
		events, scanned, err := w.loop.cfg.Store.EventsOfTypes(ctx, w.ref.WorkspaceID, nil, w.standing.Types, b.scanned, w.standing.Newest,
			domain.PageSize{Rows: mainRead, Bytes: readBytes})
		if err != nil {
			return err
		}
		b.take(events, scanned, now)
	}
	for _, l := range b.wants(now) {
		events, scanned, err := w.loop.cfg.Store.EventsOfTypes(ctx, w.ref.WorkspaceID, &l.session, w.standing.Types, l.sentTo, b.scanned,
			domain.PageSize{Rows: laneWindow, Bytes: readBytes})
		if err != nil {
			return err
		}
		if pruned := w.standing.PrunedTo; l.tries > 0 && l.sentTo < pruned && (len(events) == 0 || events[0].Seq > pruned) {
			b.skip(l.session, pruned, prunedText(l.sentTo, pruned), now) // what was tried is no longer there
			l.tries = 0
		}
		b.refill(l, events, scanned)
	}
	return nil
}

// dispatch has everything sent that may be on its way now.
func (w *worker) dispatch() {
	for l := w.book.next(w.loop.cfg.Clock()); l != nil; l = w.book.next(w.loop.cfg.Clock()) {
		hook, secrets, event, try := w.standing.Webhook, w.secrets, l.queue[0], l.tries+1
		w.loop.requests.Go(func() {
			o, cut := w.loop.send(&hook, secrets, event, try)
			w.outcomes <- sent{l, o, cut}
		})
	}
}

// wait is until there is something to do, and says whether the webhook must be looked at.
func (w *worker) wait(ctx context.Context) (look bool) {
	now := w.loop.cfg.Clock()
	var timer <-chan time.Time
	if due := w.book.due(); !due.IsZero() && (due.After(now) || w.book.sending == 0) {
		t := time.NewTimer(due.Sub(now))
		defer t.Stop()
		timer = t.C
	}
	if w.book.sending == 0 && w.book.takesMore() && w.book.scanned < w.standing.Newest {
		return false
	}
	select {
	case <-ctx.Done():
	case <-w.kick:
		return true
	case s := <-w.outcomes:
		w.settle(ctx, s)
	case <-timer:
		return true // it may have been a long time
	}
	return false
}

// settle takes in an outcome, and those that came with it.
func (w *worker) settle(ctx context.Context, s sent) {
	for {
		if s.cut {
			w.book.release(s.lane)
		} else if reason := w.book.settle(s.lane, &s.outcome, w.loop.cfg.Clock()); reason != "" && w.mayEnd(reason) {
			w.disable(ctx, reason)
			return
		}
		select {
		case s = <-w.outcomes:
		default:
			return
		}
	}
}

// mayEnd says whether a webhook is disabled that fails. An address of mail is not: it is a setting, and a
// mail server that was away comes back. So does a push service; a browser that is gone does not.
func (w *worker) mayEnd(reason domain.WebhookReason) bool {
	switch w.standing.Kind {
	case domain.WebhookMail:
		return false
	case domain.WebhookPush:
		return reason == domain.WebhookGone
	}
	return true
}

// record writes down what came of sending; looked: also how far nothing had to be sent.
func (w *worker) record(ctx context.Context, looked bool) error {
	p := w.book.unrecorded()
	if p == nil && looked && w.book.sentTo() > w.standing.SentTo {
		p = w.book.progress()
	}
	if p == nil {
		return nil
	}
	if err := w.loop.cfg.Store.RecordWebhook(ctx, &w.standing.Webhook, p); err != nil {
		return err
	}
	w.standing.SentTo = p.SentTo
	w.book.recorded()
	return nil
}

// takeLooked: a look over all workspaces found it behind.
func (w *worker) takeLooked() bool {
	w.loop.mu.Lock()
	defer w.loop.mu.Unlock()
	looked := w.looked
	w.looked = false
	return looked
}

// disable ends it, with a notice for people. When that cannot be written, the next failure
// tries again.
func (w *worker) disable(ctx context.Context, reason domain.WebhookReason) {
	w.loop.cfg.Log.Info().Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).Str("kind", string(w.standing.Kind)).
		Str("reason", string(reason)).Msg("nothing more is sent there")
	notice, err := w.loop.notice(ctx, &w.standing.Webhook, reason)
	if err == nil {
		err = w.loop.cfg.Store.DisableWebhook(ctx, &w.standing.Webhook, w.book.progress(), reason, notice)
	}
	if err != nil && ctx.Err() == nil {
		w.loop.cfg.Log.Warn().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).Msg("could not disable a webhook")
	}
	w.forget()
}

// forget waits for what is on its way, and knows nothing afterwards.
func (w *worker) forget() {
	for w.book != nil && w.book.sending > 0 {
		s := <-w.outcomes
		w.book.release(s.lane)
	}
	w.book = nil
	w.loop.noteWaiting(w, time.Time{})
}

// finish takes in, at the end, what is still on its way.
func (w *worker) finish(ctx context.Context) {
	if w.book == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopGrace)
	defer cancel()
	for w.book != nil && w.book.sending > 0 {
		w.settle(ctx, <-w.outcomes)
	}
	if w.book == nil {
		return
	}
	if err := w.record(ctx, true); err != nil && !errors.Is(err, domain.ErrStale) {
		w.loop.cfg.Log.Warn().Err(err).Str("webhook", w.ref.ID).Msg("what was sent at last could not be recorded: it is sent again")
	}
	w.book = nil
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
