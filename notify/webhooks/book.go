package webhooks

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

const (
	// window bounds the events of a webhook in memory.
	window = 64
	// laneWindow bounds those of one session. A session with more events reads the log on its own,
	// so that it does not delay the others.
	laneWindow = 8
	// inFlight bounds the concurrent requests of a webhook, failingInFlight those of them that are
	// retries, and probing all of them while nothing is delivered: a hanging receiver occupies no
	// more.
	inFlight        = 8
	failingInFlight = 4
	probing         = 2
)

// book is the schedule of one webhook: the events to send and the outcomes to record. It uses no
// clock, network or database.
type book struct {
	// scanned is the position up to which the log was read. Every event up to it is queued, left to
	// a lagging lane, or already sent.
	scanned int64
	lanes   map[string]*lane
	queued  int // // events in queues of lanes that do not lag
	lagging int
	sending int // // lanes with a request in progress
	failing int // // those of them that are retrying

	failingSince *time.Time
	pausedUntil  *time.Time

	// Not recorded yet.
	dirty      map[string]bool // lanes
	deliveries []outside.WebhookDelivery
	changed    bool
}

// lane holds the events of one session in order.
type lane struct {
	session string
	queue   []*domain.LogEvent
	busy    bool
	// lagging lanes have a row of their own and read the log on their own, starting at sentTo.
	lagging bool
	sentTo  int64
	tries   int
	since   time.Time
	due     time.Time
	oldest  time.Time // // time of the oldest unsent event; zero: not known
}

func newBook(h *outside.Webhook, lanes []outside.WebhookLane) *book {
	b := &book{
		scanned: h.SentTo, failingSince: h.FailingSince, pausedUntil: h.PausedUntil, lanes: map[string]*lane{}, dirty: map[string]bool{},
	}
	for _, l := range lanes {
		b.lanes[l.SessionID] = &lane{
			session: l.SessionID, lagging: true, sentTo: l.SentTo, tries: l.Tries, since: l.Since, due: l.DueAt, oldest: l.Since,
		}
		b.lagging++
	}
	return b
}

// takesMore reports whether more of the log may be read.
func (b *book) takesMore() bool { return b.queued < window && b.lagging < outside.MaxWebhookLanes }

// take distributes events, read from the log up to scanned, to their lanes.
func (b *book) take(events []*domain.LogEvent, scanned int64, now time.Time) {
	for _, e := range events {
		l := b.lanes[e.SessionID]
		if l == nil {
			l = &lane{session: e.SessionID}
			b.lanes[e.SessionID] = l
		}
		switch {
		case l.lagging: // // the lane will read it on its own
		case len(l.queue) == laneWindow:
			b.lag(l, now)
		default:
			l.queue = append(l.queue, e)
			b.queued++
		}
	}
	b.scanned = scanned
}

// lag makes a lane read the log on its own, starting at its first unsent event.
func (b *book) lag(l *lane, now time.Time) {
	if l.lagging {
		return
	}
	l.lagging, l.sentTo, l.due = true, l.queue[0].Seq-1, now
	l.oldest = l.queue[0].At
	b.lagging++
	b.queued -= len(l.queue)
	b.dirty[l.session] = true
}

// wants returns the lagging lanes that are due and have no events in memory.
func (b *book) wants(now time.Time) []*lane {
	if b.paused(now) {
		return nil
	}
	var out []*lane
	for _, l := range b.lanes {
		if l.lagging && !l.busy && len(l.queue) == 0 && !l.due.After(now) && len(out) < inFlight {
			out = append(out, l)
		}
	}
	return out
}

// refill adds the next events of a lagging lane, read up to a position. If there are none up to
// scanned, the lane has caught up and no longer lags.
func (b *book) refill(l *lane, events []*domain.LogEvent, read int64) {
	l.queue = events
	if len(events) > 0 {
		l.oldest = events[0].At
		return
	}
	l.sentTo = read
	if read >= b.scanned {
		b.lagging--
		b.dirty[l.session] = true
		delete(b.lanes, l.session)
	}
}

// skip records that events up to a position, of one session or of all, were pruned from the log
// before they were sent.
func (b *book) skip(session string, to int64, detail string, now time.Time) {
	b.changed = true
	b.deliveries = append(b.deliveries, outside.WebhookDelivery{
		Seq: to, SessionID: session, State: outside.DeliverySkipped, At: now, FirstAt: now, LastAt: now, Detail: detail,
	})
}

// release returns a lane whose request was aborted by this process.
func (b *book) release(l *lane) {
	l.busy = false
	b.sending--
	if l.tries > 0 {
		b.failing--
	}
}

func (b *book) paused(now time.Time) bool { return b.pausedUntil != nil && b.pausedUntil.After(now) }

// next returns a lane whose first event may be sent now, or nil.
func (b *book) next(now time.Time) *lane {
	if b.sending >= inFlight || b.failingSince != nil && b.sending >= probing || b.paused(now) {
		return nil
	}
	for _, l := range b.lanes {
		if l.busy || len(l.queue) == 0 || l.lagging && l.due.After(now) || l.tries > 0 && b.failing >= failingInFlight {
			continue
		}
		l.busy = true
		b.sending++
		if l.tries > 0 {
			b.failing++
		}
		return l
	}
	return nil
}

// settle applies the outcome of sending a lane's first event. It returns a reason if the webhook
// should be disabled.
func (b *book) settle(l *lane, o *outcome, now time.Time) outside.WebhookReason {
	e := l.queue[0]
	b.release(l)
	b.changed = true
	if o.result == Held {
		b.pausedUntil = new(o.heldUntil)
		return ""
	}
	d := outside.WebhookDelivery{
		Seq: e.Seq, Type: e.Type, SessionID: e.SessionID, At: e.At, FirstAt: o.at, LastAt: o.at, Tries: l.tries + 1,
		Status: o.status, Detail: o.detail, Took: o.took,
	}
	if l.tries > 0 {
		d.FirstAt = l.since
	}
	if o.delivered() {
		d.State = outside.DeliveryDone
		b.failingSince = nil
		b.past(l, e, now)
		b.deliveries = append(b.deliveries, d)
		return ""
	}
	if b.failingSince == nil {
		b.failingSince = new(o.at)
	}
	b.failed(l, e, o, &d, now)
	b.deliveries = append(b.deliveries, d)
	switch {
	case o.result == Gone:
		return outside.WebhookGone
	case now.Sub(*b.failingSince) >= outside.WebhookPatience:
		return outside.WebhookFailing
	}
	return ""
}

// failed schedules a retry, or gives up the event after the last one.
func (b *book) failed(l *lane, e *domain.LogEvent, o *outcome, d *outside.WebhookDelivery, now time.Time) {
	if o.result == Throttled {
		pause := o.retryAfter
		if pause == 0 {
			pause = throttled
		}
		b.pausedUntil = new(now.Add(pause))
	}
	if d.Tries >= outside.WebhookTries || o.result == Rejected {
		d.State = outside.DeliveryFailed
		b.lag(l, now) // // later events continue from here, and this one is in its row
		b.past(l, e, now)
		return
	}
	b.lag(l, now)
	if l.tries == 0 {
		l.since = o.at
	}
	l.tries = d.Tries
	l.due = now.Add(max(delay(l.tries), o.retryAfter))
	l.queue = nil
	b.dirty[l.session] = true
	d.State, d.NextAt = outside.DeliveryRetrying, new(l.due)
}

// past advances a lane beyond an event.
func (b *book) past(l *lane, e *domain.LogEvent, now time.Time) {
	l.queue, l.tries, l.since = l.queue[1:], 0, time.Time{}
	if l.lagging {
		l.sentTo, l.due = e.Seq, now
		b.dirty[l.session] = true
		return
	}
	b.queued--
	if len(l.queue) == 0 {
		delete(b.lanes, l.session)
	}
}

// sentTo returns the position up to which every event was sent or left to a lane.
func (b *book) sentTo() int64 {
	to := b.scanned
	for _, l := range b.lanes {
		if !l.lagging && len(l.queue) > 0 {
			to = min(to, l.queue[0].Seq-1)
		}
	}
	return to
}

// unrecorded returns the progress to record, or nil.
func (b *book) unrecorded() *outside.WebhookProgress {
	if !b.changed && len(b.dirty) == 0 {
		return nil
	}
	return b.progress()
}

// progress returns the current progress for the database.
func (b *book) progress() *outside.WebhookProgress {
	p := &outside.WebhookProgress{
		SentTo: b.sentTo(), FailingSince: b.failingSince, PausedUntil: b.pausedUntil, Deliveries: slices.Clone(b.deliveries),
	}
	for session := range b.dirty {
		if l := b.lanes[session]; l != nil && l.lagging {
			p.Lanes = append(p.Lanes, outside.WebhookLane{
				SessionID: session, SentTo: l.sentTo, Tries: l.tries, Since: l.since, DueAt: l.due,
			})
		} else {
			p.CaughtUp = append(p.CaughtUp, session)
		}
	}
	return p
}

// recorded marks the progress as stored.
func (b *book) recorded() {
	clear(b.dirty)
	b.deliveries, b.changed = nil, false
}

// due returns when the next event is due, or zero if nothing is scheduled.
func (b *book) due() time.Time {
	var at time.Time
	for _, l := range b.lanes {
		if l.lagging && !l.busy && (at.IsZero() || l.due.Before(at)) {
			at = l.due
		}
	}
	if b.pausedUntil != nil && (!at.IsZero() || b.queued > 0) && b.pausedUntil.After(at) {
		at = *b.pausedUntil
	}
	return at
}

// oldest returns the time of the oldest undelivered event, or zero.
func (b *book) oldest() time.Time {
	var at time.Time
	for _, l := range b.lanes {
		t := l.oldest
		if !l.lagging && len(l.queue) > 0 {
			t = l.queue[0].At
		}
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}
