package orchestrator

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// letGo ends the driver: streamed text that will not become a message is discarded. A session that was cut
// or taken over belongs to another driver; for one that failed permanently the machine is notified, so
// that it does not hang.
func (d *driver) letGo(ctx context.Context, err error) {
	if d.streamed != "" {
		reason := "cut"
		if cause := context.Cause(ctx); errors.Is(cause, ErrPreempted) {
			reason = "preempted"
		} else if errors.Is(cause, ErrInterrupted) || errors.Is(cause, ErrStopped) {
			reason = ""
		}
		if reason != "" {
			d.loop.cfg.Streams.Discard(d.session.WorkspaceID, d.session.ID, d.streamed, reason)
		} else {
			d.loop.cfg.Streams.Settle(d.session.ID, d.streamed)
		}
	}
	if errors.Is(err, errLetGo) || ctx.Err() != nil {
		return
	}
	d.loop.cfg.Log.Error().Err(err).Str("workspace", d.session.WorkspaceID).Str("session", d.session.ID).
		Str("round", d.session.State.RoundID).Msg("a step failed for good")
	d.fail()
}

// survive turns a panic of this session's work into the end of its driver alone.
func (d *driver) survive() {
	if p := recover(); p != nil {
		d.loop.cfg.Log.Error().Str("session", d.session.ID).Interface("panic", p).
			Bytes("stack", debug.Stack()).Msg("a driver panicked")
		d.fail()
	}
}

// failed is shown to a person after an error of the server; the process log has the details.
const failed = "The server failed at this step. Its log says more under this session's id."

// fail notifies the machine that the work cannot continue, once, on the stored state: the person is
// notified and the session rests instead of hanging.
func (d *driver) fail() {
	defer func() { _ = recover() }() // the second failure leaves it to recovery
	ctx, cancel := context.WithTimeout(context.WithoutCancel(d.loop.base), 10*time.Second)
	defer cancel()
	view, err := d.loop.cfg.Store.View(ctx, d.session.WorkspaceID, d.session.ID)
	if err == nil && view.Session.RunEpoch != d.epoch {
		return // another driver owns it
	}
	if err == nil {
		call := d.unrecorded()
		d.view, d.session, d.pending, d.change, d.streamed = view, view.Session, nil, nil, ""
		_, err = d.take(ctx, domain.SystemErrorOccurred{Code: domain.FailureInternal, Problem: failed, Roundtrip: call})
	}
	if err != nil {
		d.loop.cfg.Log.Error().Err(err).Str("session", d.session.ID).Msg("a failed step could not be recorded")
	}
}

// unrecorded is the AI call of the failed step, which may have been paid for. nil when there was none.
func (d *driver) unrecorded() *domain.Roundtrip {
	if d.underWay != nil {
		cut := *d.underWay
		cut.Outcome, cut.EndedAt = domain.OutcomeCut, d.loop.cfg.Clock()
		return &cut
	}
	for _, e := range d.pending {
		if call, _ := domain.RoundtripOf(e); call != nil {
			return call
		}
	}
	return nil
}
