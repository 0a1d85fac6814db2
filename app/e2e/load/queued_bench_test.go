package load

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

const (
	queuedWorkspaces = 100
	queuedEach       = 10
)

// BenchmarkQueuedRuns: a thousand runs queue in a hundred workspaces, for a model of 390 ms.
// How long until the last has ended, beside what the model alone takes; that each workspace
// served them in their order is checked.
func BenchmarkQueuedRuns(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			model := startRole(b, "model").url + "/done"
			s := newServer(b, open(b))
			for w := range queuedWorkspaces {
				at := door{url: s.URL, workspace: workspaceOf(w)}
				harness.Must(b, at.furnish(b.Context(), model))
				harness.Must(b, at.call(b.Context(), "PATCH", "/v1/settings", map[string]any{"completion_confirmation_delay": "0s"}, nil))
			}
			orders := s.orders()
			q := &queued{served: map[string][]string{}, all: make(chan struct{})}
			s.Mu.Lock()
			s.Then = q.committed
			s.Mu.Unlock()
			begun := time.Now()
			asked := s.execute(orders)
			<-q.all
			took := time.Since(begun)
			for workspace, want := range asked {
				if !slices.Equal(q.served[workspace], want) {
					b.Errorf("workspace %s served %v, asked for in the order %v", workspace, q.served[workspace], want)
				}
			}
			b.ReportMetric(took.Seconds(), "s")
			b.ReportMetric(took.Seconds()/(queuedEach*slowModel.Seconds()), "x-model")
			b.ReportMetric(queuedWorkspaces*queuedEach/took.Seconds(), "runs/s")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// orders makes the automations of each workspace.
func (s *server) orders() map[string][]*automation.Automation {
	s.T.Helper()
	all := map[string][]*automation.Automation{}
	for w := range queuedWorkspaces {
		for n := range queuedEach {
			order, _, err := s.Parts.Automations.CreateAutomation(s.T.Context(), workspaceOf(w), automation.NewAutomation{
				Name: fmt.Sprint("order ", n), Enabled: true, Misfire: automation.MisfireOnce, Overlap: automation.OverlapQueue, Completion: automation.CompletionAuto,
				Seed: domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Work."}}, LinearText: "Work."},
			})
			harness.Must(s.T, err)
			all[order.WorkspaceID] = append(all[order.WorkspaceID], order)
		}
	}
	return all
}

// execute asks for a run of each, one after the other in a workspace, and gives the runs
// in the order in which they were asked for.
func (s *server) execute(orders map[string][]*automation.Automation) map[string][]string {
	s.T.Helper()
	var asking sync.WaitGroup
	var mu sync.Mutex
	asked := map[string][]string{}
	for workspace, all := range orders {
		asking.Go(func() {
			for _, order := range all {
				r, err := s.Parts.Runs.ExecuteAutomation(s.T.Context(), workspace, order.ID, "bench")
				if err != nil {
					s.T.Errorf("execute: %v", err)
					return
				}
				mu.Lock()
				asked[workspace] = append(asked[workspace], r.Session.ID)
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	return asked
}

// queued notes who got the slot, and when all have ended.
type queued struct {
	mu     sync.Mutex
	served map[string][]string
	ended  int
	all    chan struct{}
}

func (q *queued) committed(c *domain.Change) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range c.Sessions {
		if w.Session.Type != domain.Run {
			continue
		}
		if w.Session.HoldsSlot && !slices.Contains(q.served[c.WorkspaceID], w.Session.ID) {
			q.served[c.WorkspaceID] = append(q.served[c.WorkspaceID], w.Session.ID)
		}
	}
	for _, x := range c.Transitions {
		if x.To == domain.Completed {
			if q.ended++; q.ended == queuedWorkspaces*queuedEach {
				close(q.all)
			}
		}
	}
}
