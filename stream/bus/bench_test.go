package bus

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// BenchmarkEvent: from the commit on one node until a listener on the other has the
// event, with all that lies between: gathering, NOTIFY, reading the log.
func BenchmarkEvent(b *testing.B) {
	_, from, to := overPostgres(b)
	r := to.read("s")
	defer r.Close()
	for b.Loop() {
		b.StopTimer()
		<-time.After(2 * gather) // else the pause between two sendings would be measured
		b.StartTimer()
		from.log.commit(from, domain.LogEvent{Type: domain.LogMessageCreated, SessionID: "s"})
		for came := false; !came; {
			<-r.Ready()
			events, _, err := r.Next(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			came = len(events) > 0
		}
	}
}

// BenchmarkCommitted is what a commit pays for the others: noting the hint.
func BenchmarkCommitted(b *testing.B) {
	_, from, _ := overPostgres(b)
	change := &domain.Change{WorkspaceID: "w", Events: []*domain.LogEvent{{Seq: 1, Type: domain.LogSessionPhase}}}
	b.ReportAllocs()
	for b.Loop() {
		from.Committed(change)
	}
}
