package automation

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

func TestWatches(t *testing.T) {
	entries, webhook := Trigger{Type: TriggerEntryCreated, ToolID: "tol_1"}, Trigger{Type: TriggerWebhook}
	gone := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		a    Automation
		want bool
	}{
		"entries behind a webhook": {Automation{Enabled: true, Triggers: []Trigger{webhook, entries}}, true},
		"a webhook alone":          {Automation{Enabled: true, Triggers: []Trigger{webhook}}, false},
		"disabled":                 {Automation{Triggers: []Trigger{entries}}, false},
		"deleted":                  {Automation{Enabled: true, Triggers: []Trigger{entries}, DeletedAt: &gone}, false},
	} {
		if got := c.a.Watches(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	a := Automation{Triggers: []Trigger{webhook, entries}}
	if found := a.Trigger(TriggerEntryCreated); found != &a.Triggers[1] {
		t.Errorf("its trigger is %+v", found)
	}
	if found := (&Automation{}).Trigger(TriggerWebhook); found != nil {
		t.Errorf("it has the trigger %+v", found)
	}
}

// Rows of a change are found by their type, in their order; the scheduler is woken for an automation, and not for an
// occurrence.
func TestRowsOfAChange(t *testing.T) {
	next := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	a, b := &Automation{ID: "aut_1", NextAt: &next}, &Automation{ID: "aut_2"}
	first, second := &Occurrence{ID: "occ_1"}, &Occurrence{ID: "occ_2"}
	c := &domain.Change{Rows: []domain.Row{first, Write{Automation: a, Insert: true}}}
	c.Merge(&domain.Change{Rows: []domain.Row{Write{Automation: b}, second}})
	writes, occurrences := Writes(c), Occurrences(c)
	if len(writes) != 2 || writes[0].Automation != a || !writes[0].Insert || writes[1].Automation != b {
		t.Errorf("it writes %+v", writes)
	}
	if len(occurrences) != 2 || occurrences[0] != first || occurrences[1] != second {
		t.Errorf("it records %+v", occurrences)
	}
	if h := domain.HintOf(c); h == nil || h.WakeAt == nil || !h.WakeAt.Equal(next) {
		t.Errorf("other nodes learn %+v", h)
	}
	if a.DueAt() != &next || b.DueAt() != nil || first.DueAt() != nil {
		t.Error("a row is due at a time that it does not have")
	}
}
