package commands

import "testing"

// TestWhatIsAskedForTwiceIsSaid to people in their language; how it could be repeated is for the AI.
func TestWhatIsAskedForTwiceIsSaid(t *testing.T) {
	for language, want := range map[string]string{
		"en": "Asked for twice, done once: Add the zone “Jardin”",
		"fr": "Demandé deux fois, fait une fois : Ajouter la zone « Jardin »",
	} {
		w := newWorld(t)
		w.env.Settings.Language = language
		zone := w.command("CREATE_ZONE", `{"name":"Jardin"}`)
		again := w.command("CREATE_ZONE", `{"name":"Jardin"}`)
		actions := w.plan(zone, again).Commands.Actions
		if len(actions) != 2 || actions[1].Summary.In(language) != want || actions[1].Note != repeatNote {
			t.Errorf("%s: %+v", language, actions[1])
		}
	}
}
