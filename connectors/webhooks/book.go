package webhooks

import (
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// window is how many events of a webhook are in memory at once.
	window = 64
	// laneWindow is how many of one session: a session with more reads its own part of the
	// log, so that it does not hold up the others.
	laneWindow = 8
	// inFlight is how many requests of a webhook are on their way at once, failingInFlight
	// how many of these are for what failed before, and probing how many while nothing arrives
	// at all: a receiver that hangs holds no more.
	inFlight        = 8
	failingInFlight = 4
	probing         = 2
)

// book says what is to be sent to one webhook, and what came of it. It knows no clock, no
// network and no database.
type book struct {
	// scanned: the log was read up to here. Of what it held, everything that does not stand in
	// a queue or is left to a lagging lane was sent.
	scanned int64
	lanes   map[string]*lane
	queued  int // events in queues of lanes that do not lag
	lagging int
	sending int // lanes that are on their way
	failing int // those of them whose event failed before

	failingSince *time.Time
	pausedUntil  *time.Time

	// What has yet to be recorded.
	dirty      map[string]bool // lanes
	deliveries []domain.WebhookDelivery
	changed    bool
}

// lane has the events of one session, in order.
type lane struct {
	session string
	queue   []*domain.LogEvent
	busy    bool
	// lagging: it has a row of its own, and is read on its own from sentTo on.
	lagging bool
	sentTo  int64
	tries   int
	since   time.Time
	due     time.Time
	oldest  time.Time // when the event happened that it waits with; zero: not known
}

func newBook(h *domain.Webhook, lanes []domain.WebhookLane) *book {
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

// takesMore says whether more of the log may be read.
func (b *book) takesMore() bool { return b.queued < window && b.lagging < domain.MaxWebhookLanes }

// take puts what was read of the log up to scanned into its lanes.
func (b *book) take(events []*domain.LogEvent, scanned int64, now time.Time) {
	for _, e := range events {
		l := b.lanes[e.SessionID]
		if l == nil {
			l = &lane{session: e.SessionID}
			b.lanes[e.SessionID] = l
		}
		switch {
		case l.lagging: // it comes to it by itself
		case len(l.queue) == laneWindow:
			b.lag(l, now)
		default:
			l.queue = append(l.queue, e)
			b.queued++
		}
	}
	b.scanned = scanned
}

// lag has a lane go on by itself, from its first event that was not sent.
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

// wants are the lagging lanes that are due and have nothing at hand.
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

// refill gives a lagging lane the next of its events, which were read up to a number. None
// up to what was scanned: it has caught up, and is fed with the others again.
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

// skip notes that the log no longer has what it had up to a number, of one session or of
// all, and that it was not sent.
func (b *book) skip(session string, to int64, detail string, now time.Time) {
	b.changed = true
	b.deliveries = append(b.deliveries, domain.WebhookDelivery{
		Seq: to, SessionID: session, State: domain.DeliverySkipped, At: now, FirstAt: now, LastAt: now, Detail: detail,
	})
}

// release has a lane whose request was broken off by us begin again.
func (b *book) release(l *lane) {
	l.busy = false
	b.sending--
	if l.tries > 0 {
		b.failing--
	}
}

func (b *book) paused(now time.Time) bool { return b.pausedUntil != nil && b.pausedUntil.After(now) }

// next picks an event that may be sent now; nil: none may.
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

// settle takes in what came of sending the first event of a lane, and says what is to be
// thought of it as a whole: whether the webhook is to be disabled.
func (b *book) settle(l *lane, o *outcome, now time.Time) domain.WebhookReason {
	e := l.queue[0]
	b.release(l)
	b.changed = true
	if o.result == Held {
		b.pausedUntil = new(o.heldUntil)
		return ""
	}
	d := domain.WebhookDelivery{
		Seq: e.Seq, Type: e.Type, SessionID: e.SessionID, At: e.At, FirstAt: o.at, LastAt: o.at, Tries: l.tries + 1,
		Status: o.status, Detail: o.detail, Took: o.took,
	}
	if l.tries > 0 {
		d.FirstAt = l.since
	}
	if o.delivered() {
		d.State = domain.DeliveryDone
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
		return domain.WebhookGone
	case now.Sub(*b.failingSince) >= domain.WebhookPatience:
		return domain.WebhookFailing
	}
	return ""
}

// failed has a lane wait, or give its event up after the last try.
func (b *book) failed(l *lane, e *domain.LogEvent, o *outcome, d *domain.WebhookDelivery, now time.Time) {
	if o.result == Throttled {
		pause := o.retryAfter
		if pause == 0 {
			pause = throttled
		}
		b.pausedUntil = new(now.Add(pause))
	}
	if d.Tries >= domain.WebhookTries || o.result == Rejected {
		d.State = domain.DeliveryFailed
		b.lag(l, now) // what is behind it goes on from here, and this is in its row
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
	d.State, d.NextAt = domain.DeliveryRetrying, new(l.due)
}

// past has a lane go on behind an event.
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

// sentTo is the number up to which everything was sent, or is left to a lane.
func (b *book) sentTo() int64 {
	to := b.scanned
	for _, l := range b.lanes {
		if !l.lagging && len(l.queue) > 0 {
			to = min(to, l.queue[0].Seq-1)
		}
	}
	return to
}

// unrecorded is what has to be recorded; nil: nothing.
func (b *book) unrecorded() *domain.WebhookProgress {
	if !b.changed && len(b.dirty) == 0 {
		return nil
	}
	return b.progress()
}

// progress is how things stand, to be recorded.
func (b *book) progress() *domain.WebhookProgress {
	p := &domain.WebhookProgress{
		SentTo: b.sentTo(), FailingSince: b.failingSince, PausedUntil: b.pausedUntil, Deliveries: slices.Clone(b.deliveries),
	}
	for session := range b.dirty {
		if l := b.lanes[session]; l != nil && l.lagging {
			p.Lanes = append(p.Lanes, domain.WebhookLane{
				SessionID: session, SentTo: l.sentTo, Tries: l.tries, Since: l.since, DueAt: l.due,
			})
		} else {
			p.CaughtUp = append(p.CaughtUp, session)
		}
	}
	return p
}

// recorded: all of progress is in the database.
func (b *book) recorded() {
	clear(b.dirty)
	b.deliveries, b.changed = nil, false
}

// due is when there is something to do next by itself; zero: when something happens.
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

// oldest is when the oldest event happened that has not arrived; zero: all have.
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
