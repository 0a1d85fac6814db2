package harness

import (
	"os"
	"time"
)

// Long says that the long sweeps are wanted.
var Long = os.Getenv("FERMATA_LONG") != ""

// Patience is how long a story waits for what must come. Where all goes well nothing waits
// for so long; a machine may be slow.
const Patience = time.Minute
