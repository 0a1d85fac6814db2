package webhooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

const (
	// mainRead and readBytes bound one read of the log.
	mainRead  = window
	readBytes = 2 << 20
	// errorDelay is the delay after a database error.
	errorDelay = 2 * time.Second
	// takeoverDelay is how long a webhook is left to another node.
	takeoverDelay = scanInterval
)

// errSecret: the signing secret cannot be decrypted.
var errSecret = errors.New("open the secret of a webhook")

// worker sends to one webhook. Its goroutine runs while there is something to do; its state is kept
// in between, until the webhook changes elsewhere.
type worker struct {
	loop *Loop
	ref  outside.WebhookRef

	// Guarded by the loop's mutex.
	running bool
	looked  bool      // // woken by a scan of all workspaces
	rest    time.Time // // until then another node sends
	waiting time.Time // // time of the oldest undelivered event

	kick     chan struct{}
	outcomes chan sent
	standing *outside.WebhookStanding
	secrets  []string
	book     *book // // nil: not loaded
}

// sent is the outcome of a request.
type sent struct {
	lane    *lane
	outcome outcome
	cut     bool // // aborted by this process
}

func newWorker(l *Loop, ref outside.WebhookRef) *worker {
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

// work sends until there is nothing left or another node takes over.
func (w *worker) work(ctx context.Context) {
	look := true
	for ctx.Err() == nil {
		again, err := w.once(ctx, look)
		switch {
		case errors.Is(err, domain.ErrStale), domain.ErrorCode(err) == domain.CodeNotFound:
			w.forget() // // it was changed or taken over: load it again
			look = true
			continue
		case err != nil && ctx.Err() == nil:
			w.loop.cfg.Log.Warn().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).
				Msg("could not read or record deliveries of a webhook; retrying")
			sleep(ctx, errorDelay)
			look = true
			continue
		case !again:
			return
		}
		look = w.wait(ctx)
	}
	w.finish(ctx)
}

// once reads new events, sends what is due, and records outcomes. It reports whether there is
// anything to wait for.
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
	if err := w.record(ctx, w.takeScanned()); err != nil {
		return false, err
	}
	w.loop.noteWaiting(w, w.book.oldest())
	return w.busy(), nil
}

// busy reports whether requests are in progress or scheduled.
func (w *worker) busy() bool {
	return w.book.sending > 0 || w.book.queued > 0 || w.book.lagging > 0 || w.book.scanned < w.standing.Newest
}

// look loads the webhook's state, and claims it if no other node sends.
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
			w.loop.leave(w) // // another node claimed it first; the next scan checks whether that node is alive
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	if w.book == nil || w.standing.Epoch != now.Epoch {
		if err := w.begin(ctx, now); errors.Is(err, errSecret) {
			w.loop.cfg.Log.Error().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).
				Msg("a webhook sends nothing: its secret cannot be decrypted; rotate it")
			w.loop.leave(w) // // until the next scan
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	w.standing = now
	return true, nil
}

// begin loads a webhook from the database.
func (w *worker) begin(ctx context.Context, now *outside.WebhookStanding) error {
	w.forget() // // wait for earlier requests first, to preserve the order
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
	return fmt.Sprintf("the log was pruned up to %d before everything was sent: some of the events %d to %d may be missing", to, from+1, to)
}

// read loads new events from the log, up to the window.
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
			b.skip(l.session, pruned, prunedText(l.sentTo, pruned), now) // // the event being retried was pruned
			l.tries = 0
		}
		b.refill(l, events, scanned)
	}
	return nil
}

// dispatch starts all requests that are due.
func (w *worker) dispatch() {
	for l := w.book.next(w.loop.cfg.Clock()); l != nil; l = w.book.next(w.loop.cfg.Clock()) {
		hook, secrets, event, try := w.standing.Webhook, w.secrets, l.queue[0], l.tries+1
		w.loop.requests.Go(func() {
			o, cut := w.loop.send(&hook, secrets, event, try)
			w.outcomes <- sent{l, o, cut}
		})
	}
}

// wait blocks until there is something to do. It reports whether the webhook must be loaded again.
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
		return true // // it may have been a long time
	}
	return false
}

// settle applies an outcome and all others that are available.
func (w *worker) settle(ctx context.Context, s sent) {
	for {
		if s.cut {
			w.book.release(s.lane)
		} else if reason := w.book.settle(s.lane, &s.outcome, w.loop.cfg.Clock()); reason != "" && w.mayDisable(reason) {
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

// mayDisable reports whether a failing webhook is disabled. Email addresses are not: they are a
// setting, and a mail server recovers. So does a push service, except for a browser that is gone.
func (w *worker) mayDisable(reason outside.WebhookReason) bool {
	switch w.standing.Kind {
	case outside.WebhookMail:
		return false
	case outside.WebhookPush:
		return reason == outside.WebhookGone
	}
	return true
}

// record stores the outcomes. looked: also store the position if nothing had to be sent.
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

// takeScanned reports whether a scan of all workspaces found the webhook behind.
func (w *worker) takeScanned() bool {
	w.loop.mu.Lock()
	defer w.loop.mu.Unlock()
	looked := w.looked
	w.looked = false
	return looked
}

// disable disables the webhook, with a notice for people. If that cannot be stored, the next
// failure tries again.
func (w *worker) disable(ctx context.Context, reason outside.WebhookReason) {
	w.loop.cfg.Log.Info().Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).Str("kind", string(w.standing.Kind)).
		Str("reason", string(reason)).Msg("webhook disabled")
	notice, err := w.loop.notice(ctx, &w.standing.Webhook, reason)
	if err == nil {
		err = w.loop.cfg.Store.DisableWebhook(ctx, &w.standing.Webhook, w.book.progress(), reason, notice)
	}
	if err != nil && ctx.Err() == nil {
		w.loop.cfg.Log.Warn().Err(err).Str("workspace", w.ref.WorkspaceID).Str("webhook", w.ref.ID).Msg("could not disable a webhook")
	}
	w.forget()
}

// forget waits for requests in progress and discards the state.
func (w *worker) forget() {
	for w.book != nil && w.book.sending > 0 {
		s := <-w.outcomes
		w.book.release(s.lane)
	}
	w.book = nil
	w.loop.noteWaiting(w, time.Time{})
}

// finish waits for the last requests and records them.
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
		w.loop.cfg.Log.Warn().Err(err).Str("webhook", w.ref.ID).Msg("the last deliveries could not be recorded and will be sent again")
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
