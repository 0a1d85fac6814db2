package suite

import "testing"

// Run tells every story to a database.
func Run(t *testing.T, open Open) {
	stories := map[string]func(w *world){
		"commit numbers everything once":     commitNumbers,
		"a stale write is refused":           staleRefused,
		"a session comes back as it was":     sessionRoundTrip,
		"a message comes back byte for byte": messageRoundTrip,
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) { story(newWorld(t, open)) })
	}
}
