package scheduler

import (
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// headStart is how much earlier than the others the node looks that has committed
	// something. Who looks later finds it done.
	headStart = 150 * time.Millisecond
	// timerHeadStart is the same for what comes due.
	timerHeadStart = 2 * time.Second
)

// Heard takes the hint of another node. What it speaks of is that node's to do; this one
// looks a little later, in case that node is gone by then.
func (d *Door) Heard(h domain.Hint) {
	now := d.cfg.Clock()
	if h.Queue {
		d.agenda.waits(h.WorkspaceID) // until the look says otherwise
	}
	if h.Queue || h.Automation || h.Slot && d.agenda.somebodyWaits(h.WorkspaceID) {
		d.agenda.look(h.WorkspaceID, now.Add(headStart))
	}
	if h.WakeAt != nil {
		d.agenda.timer(h.WakeAt.Add(timerHeadStart))
	}
}

// Sweep looks at all workspaces now: a hint may have been lost, or a node is gone that
// would have looked.
func (d *Door) Sweep() {
	d.agenda.mu.Lock()
	d.agenda.sweeping = true
	d.agenda.mu.Unlock()
	d.agenda.poke()
}

func (a *agenda) sweepAsked() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := a.sweeping
	a.sweeping = false
	return asked
}
