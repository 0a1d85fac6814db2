package automations

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// The overlap policy holds for every trigger; a person's own run, and what the misfire
// policy made, wait their turn.
func TestOverlapHoldsForEveryTrigger(t *testing.T) {
	going := []*domain.Session{{ID: "ses_1"}}
	onTime := &automation.Occurrence{}
	late := &automation.Occurrence{Reason: misfire}
	for name, c := range map[string]struct {
		policy  automation.OverlapPolicy
		misfire automation.MisfirePolicy
		going   []*domain.Session
		trigger string
		due     *automation.Occurrence
		more    int // how many others are due
		want    overlapping
	}{
		"nothing goes":                   {automation.OverlapSkip, "", nil, domain.ByEvent, nil, 0, overlapNone},
		"an event, skip":                 {automation.OverlapSkip, "", going, domain.ByEvent, nil, 0, overlapSkips},
		"an event, restart":              {automation.OverlapRestart, "", going, domain.ByEvent, nil, 0, overlapStopOld},
		"an event, queue":                {automation.OverlapQueue, "", going, domain.ByEvent, nil, 0, overlapNone},
		"by hand, skip":                  {automation.OverlapSkip, "", going, domain.ByHand, nil, 0, overlapNone},
		"by hand, restart":               {automation.OverlapRestart, "", going, domain.ByHand, nil, 0, overlapNone},
		"the schedule, skip":             {automation.OverlapSkip, "", going, domain.BySchedule, onTime, 0, overlapSkips},
		"the schedule, restart":          {automation.OverlapRestart, "", going, domain.BySchedule, onTime, 0, overlapStopOld},
		"the schedule, queue":            {automation.OverlapQueue, "", going, domain.BySchedule, onTime, 0, overlapWaits},
		"missed, made by once":           {automation.OverlapSkip, automation.MisfireOnce, going, domain.BySchedule, late, 0, overlapWaits},
		"one of many that all made":      {automation.OverlapSkip, automation.MisfireAll, going, domain.BySchedule, onTime, 2, overlapWaits},
		"one of many, of which one runs": {automation.OverlapRestart, automation.MisfireOnce, going, domain.BySchedule, onTime, 2, overlapStopOld},
	} {
		v := &automation.View{Automation: &automation.Automation{Overlap: c.policy, Misfire: c.misfire}, Unended: c.going}
		if c.due != nil {
			v.Due = append(make([]*automation.Occurrence, c.more), c.due)
		}
		if got := overlap(v, c.trigger, c.due); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
