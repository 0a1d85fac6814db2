package harness

import (
	"os"
	"testing"
	"time"
)

// Long says that the long sweeps are wanted.
var Long = os.Getenv("FERMATA_LONG") != ""

// Patience is how long a story waits for what must come. Where all goes well nothing waits
// for so long; a machine may be slow.
const Patience = time.Minute

// Until polls until a condition holds.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(Patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
