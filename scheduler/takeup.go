package scheduler

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// takeUp resumes a working session whose driver is gone. It may have changed since it was read: a person
// moved it on, or another node took it over. Then it has another claim, or no slot, and nothing is done.
// It never takes the slot from another session. If the process that performed its step is gone without
// having released it, that was a crash, and the session may be its cause.
func (d *Door) takeUp(ctx context.Context, ref domain.SessionRef, gone bool) error {
	_, err := d.Deliver(ctx, takeUpRequest{
		Target: Target{Workspace: ref.WorkspaceID, Session: ref.SessionID, Unattended: true}, epoch: ref.RunEpoch, gone: gone,
	})
	return err
}

// takeUpRequest takes up a session as it was read: under that claim, at work, and with the slot or
// in a call without it.
type takeUpRequest struct {
	Target
	epoch int64
	gone  bool // the process that drove it is gone
}

func (r takeUpRequest) event(v *domain.View, m moment) (domain.Event, error) {
	s := v.Session
	if s.RunEpoch != r.epoch || !s.Phase.Working() {
		return nil, errNothingToDo
	}
	if s.State.CallAside && !m.drives(s.ID) {
		return domain.SessionSuspended{}, nil // its call is lost; it is made again with the slot
	}
	if !s.HoldsSlot {
		return nil, errNothingToDo
	}
	died := r.gone && s.OwnerIncarnation != "" && !m.drives(s.ID)
	return domain.SessionActivationRequested{Recovery: true, Died: died}, nil
}
