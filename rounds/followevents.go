package rounds

import (
	"cmp"
	"context"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
)

// FollowEvents passes the events of the round to an output until it is over or waits for a person, as its
// events report it. The result is in Outcome. A round that failed and is requested again is retried once.
func (r *Round) FollowEvents(ctx context.Context, out Output) error {
	if err := r.beginEvents(ctx); err != nil {
		return err
	}
	o, retry, failed, answered := &r.Outcome, r.Found.Repeated, "", ""
	allowed := func() error { return r.StillAllowed(ctx, r.Caller) }
	for {
		if err := r.passOwnEvents(ctx, out); err != nil {
			return err
		}
		switch {
		case o.waits() && o.approvalID != answered:
			if err := r.readApproval(ctx); o.Approval != nil || err != nil {
				return err
			}
			answered = o.approvalID // the events after the answer follow
			continue
		case o.retryable() && o.round == failed:
			// It is retried as soon as the session has the slot.
		case o.retryable() && retry && r.retry(ctx):
			retry, failed = false, o.round
		case o.ended && o.approvalID == "":
			return cmp.Or(o.Err(), r.readNotice(ctx))
		}
		if err := waitForEvents(ctx, r.reader, allowed, out.WriteHeartbeat); err != nil {
			return err
		}
	}
}

// CurrentEvents passes the events of the round up to now to an output, and reports whether it is over or
// waits for a person. The result is in Outcome.
func (r *Round) CurrentEvents(ctx context.Context, out Output) (rests bool, err error) {
	r.Found.live = false
	if err := r.beginEvents(ctx); err != nil {
		return false, err
	}
	if err := r.passOwnEvents(ctx, out); err != nil {
		return false, err
	}
	switch o := &r.Outcome; {
	case o.waits():
		err = r.readApproval(ctx)
		return o.Approval != nil, err
	case o.ended:
		return true, r.readNotice(ctx)
	}
	return false, nil
}

// HasEvents returns an error if the events of the round are not stored any more.
func (r *Round) HasEvents(ctx context.Context) error {
	r.listen(r.Found.Session)
	return r.reader.Seek(ctx, r.Found.after) //nolint:wrapcheck // callers distinguish errors by their kind
}

// beginEvents positions the events at the beginning of the round.
func (r *Round) beginEvents(ctx context.Context) error {
	m := r.Found.Placed
	r.Outcome = Outcome{message: m.ID, round: m.RoundID, stopAtCalls: r.StopAtCalls}
	if r.Found.live {
		r.reader.Behind(r.Found.after)
		return nil
	}
	return r.HasEvents(ctx)
}

// passOwnEvents passes the events of the round up to now.
func (r *Round) passOwnEvents(ctx context.Context, out Output) error {
	for more := true; more && !r.Outcome.settled(); {
		var err error
		more, err = nextEvents(ctx, r.reader, func(e *api.Event) {
			if r.Outcome.take(e) {
				out.Event(e)
			}
		})
		if err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// readApproval reads the approval that the round waits for. It sets none if it has been answered, and
// the round continues.
func (r *Round) readApproval(ctx context.Context) error {
	a, err := r.Approvals.Approval(ctx, r.Caller.Workspace, r.Outcome.approvalID)
	if err == nil && (a.Status == domain.ApprovalStatusOpen || r.Outcome.atCalls) {
		r.Outcome.Approval = a
	}
	return err
}

// readNotice sets the text about actions that were not approved.
func (r *Round) readNotice(ctx context.Context) (err error) {
	if a := r.Outcome.Rejected; a != nil {
		r.Outcome.Notice, err = r.rejectionText(ctx, a)
	}
	return err
}

// retry retries a failed round, because a client that repeats a request wants an answer. It reports
// false if the session is doing something else.
func (r *Round) retry(ctx context.Context) bool {
	_, err := r.Commands.RetrySession(ctx, r.Caller.Workspace, r.Found.Session, domain.RetryRequest{By: r.Caller.Author()})
	return err == nil || domain.ErrorCode(err) == domain.CodeWrongPhase
}
