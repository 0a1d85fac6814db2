package domain

import "testing"

// The lane of a session that is made follows the setting, its owner and its type.
func TestLaneOf(t *testing.T) {
	for _, c := range []struct {
		lanes Lanes
		of    SessionType
		owner string
		want  string
	}{
		{lanesOfWorkspace, Chat, "per_ada", "workspace"},
		{lanesOfWorkspace, Run, "", "workspace"},
		{"", Chat, "per_ada", "workspace"},
		{lanesOfPeople, Chat, "per_ada", "person:per_ada"},
		{lanesOfPeople, Run, "per_ada", "person:per_ada"},
		{lanesOfPeople, Run, "", "automations"},
		{lanesOfPeople, Chat, "", "workspace"},
	} {
		settings := DefaultSettings()
		settings.Lanes = c.lanes
		if got := settings.LaneOf(c.of, c.owner); got != c.want {
			t.Errorf("lanes %q, a %s of %q: %s, want %s", c.lanes, c.of, c.owner, got, c.want)
		}
	}
}

// Only the lane of automations has more than one seat, and none has fewer.
func TestSeats(t *testing.T) {
	settings := DefaultSettings()
	for at, want := range map[int]int{0: 1, 1: 1, 7: 7} {
		settings.AutomationsAtOnce = at
		if got := settings.Seats(LaneAutomations); got != want {
			t.Errorf("automations_at_once %d gives %d seats, want %d", at, got, want)
		}
		for _, lane := range []string{LaneWorkspace, LaneOfPerson("per_ada")} {
			if got := settings.Seats(lane); got != 1 {
				t.Errorf("%s has %d seats", lane, got)
			}
		}
	}
}
