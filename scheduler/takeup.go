package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// takeUp goes on with a session at work whose driver is gone. Between the look at the
// database and this, a person may have moved it on, or another node have taken it up:
// then it has another claim, or no slot, and there is nothing to do. It never takes the
// slot from who got it meanwhile. If the process that performed its step is gone without
// having let it go, that was a death, and the session may be the cause.
func (d *Door) takeUp(ctx context.Context, ref domain.SessionRef, gone bool) error {
	_, err := d.Deliver(ctx, Request{
		Workspace: ref.WorkspaceID, Session: ref.SessionID, Unattended: true,
		Event: func(v *domain.View) (domain.Event, error) {
			s := v.Session
			if s.RunEpoch != ref.RunEpoch || !s.HoldsSlot || !s.Phase.Working() {
				return nil, errNothingToDo
			}
			died := gone && s.OwnerIncarnation != "" && !d.cfg.Runner.Drives(s.ID)
			return domain.SessionActivationRequested{Recovery: true, Died: died}, nil
		},
	})
	return err
}
