package automations

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/scheduler"
)

// racedDoor changes the automation before each of some requests, as a concurrent client would.
type racedDoor struct {
	*world
	others int
}

func (d *racedDoor) Deliver(ctx context.Context, r scheduler.Request) (*scheduler.Outcome, error) {
	if d.others > 0 {
		d.others--
		theirs := *d.view.Automation
		theirs.Version++
		theirs.Tags = append([]string{"theirs"}, theirs.Tags...)
		d.view.Automation = &theirs
	}
	return d.world.Deliver(ctx, r)
}

// TestConcurrentUpdates verifies that a change without a version is applied to the result of concurrent changes;
// one with a version is rejected, and the number of attempts is limited.
func TestConcurrentUpdates(t *testing.T) {
	for name, c := range map[string]struct {
		others  int
		version int64
		want    domain.Code
	}{
		"once":           {1, 0, ""},
		"always":         {fasterOthers, 0, domain.CodePreconditionFailed},
		"than a version": {1, 3, domain.CodePreconditionFailed},
	} {
		t.Run(name, func(t *testing.T) {
			w, cfg := newWorld(t, hourly())
			cfg.Door = &racedDoor{w, c.others}
			a, _, err := NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Version: c.version, Name: new("Mine")})
			if c.want != "" {
				if domain.ErrorCode(err) != c.want || len(w.plans) != 0 {
					t.Errorf("%v, and %d writes", err, len(w.plans))
				}
				return
			}
			if err != nil || a.Name != "Mine" || len(a.Tags) != 1 {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
}

// TestOnlyWhatChangesIsChecked verifies that triggers sent back unchanged do not restart the watch, and that a
// deleted tool does not block other changes.
func TestOnlyWhatChangesIsChecked(t *testing.T) {
	watching := []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "gone", Condition: json.RawMessage(`{"a":1}`)}}
	view := hourly(nextAt(time.Hour), func(v *automation.View) {
		v.Automation.Triggers, v.Automation.ProviderID, v.Automation.SeenSeq, v.Workspace.LastSeq = watching, "gone", 4, 9
	})
	w, cfg := newWorld(t, view)
	refuses := &refusingChecks{}
	cfg.Checks = refuses
	s := NewService(cfg)
	same := []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "gone", Condition: json.RawMessage(`{"a":1}`)}}
	a, _, err := s.UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Triggers: &same, ProviderID: new("gone"), Name: new("x")})
	if err != nil || a.SeenSeq != 4 || refuses.asked != 0 {
		t.Fatalf("%+v, %v, asked %d times", a, err, refuses.asked)
	}
	other := []automation.Trigger{{Type: automation.TriggerEntryCreated, ToolID: "other"}}
	if _, _, err = s.UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Triggers: &other}); domain.ErrorCode(err) != domain.CodeInvalid {
		t.Errorf("other triggers: %v", err)
	}
	cfg.Checks = w
	if a, _, err = NewService(cfg).UpdateAutomation(t.Context(), "ws", "aut", automation.Patch{Triggers: &other}); err != nil || a.SeenSeq != 9 {
		t.Errorf("other triggers: %+v, %v", a, err)
	}
}

type refusingChecks struct {
	Checks
	asked int
}

func (c *refusingChecks) CheckTriggers(context.Context, string, []automation.Trigger) error {
	c.asked++
	return domain.Invalid("/triggers/0/tool_id", "not_found", "no")
}
