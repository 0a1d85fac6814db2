package domain

import "time"

// Hint notifies other nodes that a workspace's log has grown, and of what kind of events. Everything it
// refers to is in the database: a lost hint only causes a delay.
type Hint struct {
	WorkspaceID string `json:"workspace"`
	Seq         int64  `json:"seq"` // the newest number that was committed
	Slot        bool   `json:"slot,omitempty"`
	Queue       bool   `json:"queue,omitempty"`
	Automation  bool   `json:"automation,omitempty"` // one was changed, or an occurrence recorded
	Data        bool   `json:"data,omitempty"`
	Asked       bool   `json:"asked,omitempty"` // something waits for a person
	// Connectors is how often its connectors were changed, where this is such a change.
	Connectors int64 `json:"connectors,omitempty"`
	// WakeAt is the earliest time at which something of it comes due.
	WakeAt *time.Time `json:"wake_at,omitempty"`
}

// HintOf is the hint about a committed change; nil if other nodes need none.
func HintOf(c *Change) *Hint {
	h := &Hint{WorkspaceID: c.WorkspaceID, Connectors: c.ConnectorChanges}
	for _, e := range c.Events {
		h.Seq = max(h.Seq, e.Seq)
		switch e.Type {
		case LogSlotChanged:
			h.Slot = true
		case LogQueueChanged:
			h.Queue = true
		case LogAutomationChanged, LogOccurrence:
			h.Automation = true
		case LogDataChanged:
			h.Data = true
		case LogApprovalRequested:
			h.Asked = true
		}
	}
	for _, w := range c.Sessions {
		if !w.Delete {
			h.wakes(w.Session.WakeAt)
		}
	}
	for _, row := range c.Rows {
		h.wakes(row.DueAt())
	}
	for _, t := range c.Tasks {
		h.wakes(t.DueAt)
	}
	if h.Seq == 0 && h.WakeAt == nil && h.Connectors == 0 {
		return nil
	}
	return h
}

func (h *Hint) wakes(at *time.Time) {
	if at != nil && (h.WakeAt == nil || at.Before(*h.WakeAt)) {
		early := *at
		h.WakeAt = &early
	}
}

// Merge adds a later hint about the same workspace.
func (h *Hint) Merge(o *Hint) {
	h.Seq = max(h.Seq, o.Seq)
	h.Slot, h.Queue = h.Slot || o.Slot, h.Queue || o.Queue
	h.Automation, h.Data, h.Asked = h.Automation || o.Automation, h.Data || o.Data, h.Asked || o.Asked
	h.Connectors = max(h.Connectors, o.Connectors)
	h.wakes(o.WakeAt)
}
