package load

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
)

// BenchmarkManySessions: the lists of a workspace with a hundred sessions and with ten
// thousand, and a round in it. "x-few" is how many times those of the few.
func BenchmarkManySessions(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			few := map[string]time.Duration{}
			for _, n := range []int{100, 10_000} {
				s := newServer(b, open(b))
				s.configureFake(fakeLLM(b))
				s.fill(n)
				talk := newBenchTalker(b, door{url: s.URL})
				for what, do := range map[string]func(){
					"list":   func() { s.Call("GET", "/v1/sessions?limit=50", nil).Want(200) },
					"status": func() { s.Call("GET", "/v1/sessions?limit=50&status=waiting", nil).Want(200) },
					"round":  talk.round,
				} {
					do()
					begun := time.Now()
					for range 20 {
						do()
					}
					took := time.Since(begun) / 20
					b.ReportMetric(milliseconds(took), fmt.Sprintf("ms-%s-of-%d", what, n))
					if few[what] > 0 {
						b.ReportMetric(float64(took)/float64(few[what]), "x-few-"+what)
					}
					few[what] = took
				}
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// fill stores sessions that have ended.
func (s *server) fill(n int) {
	s.T.Helper()
	for done := 0; done < n; done += 500 {
		c := &domain.Change{WorkspaceID: domain.DefaultWorkspace, At: time.Now()}
		for i := range min(500, n-done) {
			c.Sessions = append(c.Sessions, domain.SessionWrite{Insert: true, Session: &domain.Session{
				ID: fmt.Sprintf("ses_%06d", done+i), WorkspaceID: c.WorkspaceID, Type: domain.Chat, Name: fmt.Sprint("session ", done+i),
				Phase: domain.Completed, EndReason: domain.EndCompleted, CreatedAt: c.At, UpdatedAt: c.At, LastEventTime: c.At,
			}})
		}
		harness.Must(s.T, s.Parts.Store.Commit(context.Background(), c))
	}
}
