package domain

import (
	"testing"
	"time"
)

// A hint says what other nodes have to look at, and when something comes due at the earliest.
func TestHintOfAChange(t *testing.T) {
	early, late := time.Unix(100, 0).UTC(), time.Unix(200, 0).UTC()
	if h := HintOf(&Change{WorkspaceID: "ws"}); h != nil {
		t.Errorf("a change without events or times: %+v", h)
	}
	h := HintOf(&Change{
		WorkspaceID: "ws",
		Events:      []*LogEvent{{Seq: 7, Type: LogSlotChanged}, {Seq: 9, Type: LogApprovalRequested}, {Seq: 8, Type: LogDataChanged}},
		Sessions: []SessionWrite{
			{Session: &Session{ID: "ses_1", WakeAt: &late}},
			{Session: &Session{ID: "ses_2", WakeAt: new(time.Unix(1, 0))}, Delete: true},
		},
		Tasks: []*Task{{DueAt: &early}},
	})
	want := Hint{WorkspaceID: "ws", Seq: 9, Slot: true, Asked: true, Data: true, WakeAt: &early}
	if h == nil || h.WakeAt == nil || !h.WakeAt.Equal(early) {
		t.Fatalf("%+v", h)
	}
	if h.WakeAt == &early {
		t.Error("the hint shares its time with the task")
	}
	if h.WakeAt = want.WakeAt; *h != want {
		t.Errorf("%+v\nnot %+v", *h, want)
	}
	for kind, of := range map[LogType]func(*Hint) bool{
		LogQueueChanged: func(h *Hint) bool { return h.Queue }, LogAutomationChanged: func(h *Hint) bool { return h.Automation },
		LogOccurrence: func(h *Hint) bool { return h.Automation },
	} {
		if h := HintOf(&Change{Events: []*LogEvent{{Seq: 1, Type: kind}}}); !of(h) {
			t.Errorf("%s: %+v", kind, h)
		}
	}
}

func TestHintsAreMerged(t *testing.T) {
	early, late := time.Unix(100, 0), time.Unix(200, 0)
	h := &Hint{Seq: 9, Slot: true, Connectors: 1, WakeAt: &late}
	h.Merge(&Hint{Seq: 8, Queue: true, Data: true, Automation: true, Connectors: 3, WakeAt: &early})
	if h.Seq != 9 || !h.Slot || !h.Queue || !h.Data || !h.Automation || h.Asked || h.Connectors != 3 || !h.WakeAt.Equal(early) {
		t.Errorf("%+v", h)
	}
	h.Merge(&Hint{Asked: true})
	if !h.Asked || !h.WakeAt.Equal(early) || h.Seq != 9 {
		t.Errorf("%+v", h)
	}
}

func TestQueueRows(t *testing.T) {
	waiting := &Session{Phase: CallingAI, State: SessionState{}}
	waiting.State.Suspended = true
	running := waiting.Clone()
	running.State.Suspended = false
	for name, c := range map[string]struct {
		row    QueueRow
		answer bool
		inTurn bool
	}{
		"its answer waits":  {QueueRow{Trigger: TriggerResume, Session: waiting}, true, false},
		"not set aside":     {QueueRow{Trigger: TriggerResume, Session: running}, false, false},
		"a new message":     {QueueRow{Trigger: "MESSAGE", Session: waiting}, false, false},
		"not read":          {QueueRow{Trigger: TriggerResume}, false, false},
		"may have crashed":  {QueueRow{Reason: QueuedSuspect}, false, true},
		"taken out":         {QueueRow{Reason: QueuedInTurn}, false, true},
		"for another cause": {QueueRow{Reason: "busy"}, false, false},
	} {
		if got := c.row.HasAnswer(); got != c.answer {
			t.Errorf("%s: has an answer: %t", name, got)
		}
		if got := c.row.InTurn(); got != c.inTurn {
			t.Errorf("%s: behind all others: %t", name, got)
		}
	}
}
