package load

import (
	"fmt"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
)

// BenchmarkSlowModel: a model that takes its time is the usual case. What is added to its
// 390 ms, by the server and by the floor: where 64 sessions always talk, and where 1,000
// talk every twelve seconds, which is about half as much together.
func BenchmarkSlowModel(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		b.Run(database, func(b *testing.B) {
			pair := newPair(b, harness.Databases[database], "/slow", 1000)
			for _, l := range []load{
				{sessions: 64, warm: 2 * time.Second, during: 8 * time.Second},
				{sessions: 1000, every: 12 * time.Second, warm: 3 * time.Second, during: 12 * time.Second},
			} {
				floor, ours := drive(b, pair.floor, l), drive(b, pair.server, l)
				for _, q := range []float64{.5, .99} {
					b.ReportMetric(milliseconds(ours.quantile(q)-slowModel), fmt.Sprintf("p%.0f-ms-of-%d", q*100, l.sessions))
					b.ReportMetric(milliseconds(floor.quantile(q)-slowModel), fmt.Sprintf("floor-p%.0f-ms-of-%d", q*100, l.sessions))
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkCommands: rounds in which the AI asks for something, or does something, before
// it answers, beside the floor, which stores what comes in between in one more commit.
func BenchmarkCommands(b *testing.B) {
	for _, database := range []string{"sqlite", "postgres"} {
		for _, kind := range []string{"queries", "actions"} {
			b.Run(database+"/"+kind, func(b *testing.B) {
				pair := newPair(b, harness.Databases[database], "/"+kind, 16)
				l := load{sessions: 16, warm: time.Second, during: 4 * time.Second}
				floor, ours := drive(b, pair.floor, l), drive(b, pair.server, l)
				b.ReportMetric(ours.rounds, "rounds/s")
				b.ReportMetric(ours.rounds/floor.rounds, "x-floor-rounds/s")
				b.ReportMetric(float64(ours.cpu)/float64(floor.cpu), "x-floor-cpu")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
