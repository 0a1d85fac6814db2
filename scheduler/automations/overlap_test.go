package automations

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// The overlap policy holds for every trigger; a person's own run, and what the misfire
// policy made, wait their turn.
func TestOverlapHoldsForEveryTrigger(t *testing.T) {
	going := []*domain.Session{{ID: "ses_1"}}
	onTime := &domain.Occurrence{}
	late := &domain.Occurrence{Reason: misfire}
	for name, c := range map[string]struct {
		policy  domain.OverlapPolicy
		misfire domain.MisfirePolicy
		going   []*domain.Session
		trigger string
		due     *domain.Occurrence
		more    int // how many others are due
		want    overlapping
	}{
		"nothing goes":                   {domain.OverlapSkip, "", nil, domain.ByEvent, nil, 0, overlapNone},
		"an event, skip":                 {domain.OverlapSkip, "", going, domain.ByEvent, nil, 0, overlapSkips},
		"an event, restart":              {domain.OverlapRestart, "", going, domain.ByEvent, nil, 0, overlapStopOld},
		"an event, queue":                {domain.OverlapQueue, "", going, domain.ByEvent, nil, 0, overlapNone},
		"by hand, skip":                  {domain.OverlapSkip, "", going, domain.ByHand, nil, 0, overlapNone},
		"by hand, restart":               {domain.OverlapRestart, "", going, domain.ByHand, nil, 0, overlapNone},
		"the schedule, skip":             {domain.OverlapSkip, "", going, domain.BySchedule, onTime, 0, overlapSkips},
		"the schedule, restart":          {domain.OverlapRestart, "", going, domain.BySchedule, onTime, 0, overlapStopOld},
		"the schedule, queue":            {domain.OverlapQueue, "", going, domain.BySchedule, onTime, 0, overlapWaits},
		"missed, made by once":           {domain.OverlapSkip, domain.MisfireOnce, going, domain.BySchedule, late, 0, overlapWaits},
		"one of many that all made":      {domain.OverlapSkip, domain.MisfireAll, going, domain.BySchedule, onTime, 2, overlapWaits},
		"one of many, of which one runs": {domain.OverlapRestart, domain.MisfireOnce, going, domain.BySchedule, onTime, 2, overlapStopOld},
	} {
		v := &domain.AutomationView{Automation: &domain.Automation{Overlap: c.policy, Misfire: c.misfire}, Unended: c.going}
		if c.due != nil {
			v.Due = append(make([]*domain.Occurrence, c.more), c.due)
		}
		if got := overlap(v, c.trigger, c.due); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
