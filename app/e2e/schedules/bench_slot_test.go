package schedules

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// BenchmarkChatTakesTheSlot measures how long a person waits for the slot that an
// automation holds in the middle of a call: from the request to the event slot.changed
// on the workspace's stream.
func BenchmarkChatTakesTheSlot(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			s := newServer(b, open(b))
			s.Call("PATCH", "/v1/settings", harness.QuickRuns).Want(200)
			s.Scripted(`[{"when": {"contains": "work"}, "fault": {"hang": true}}, {"answer": {"text": "Hello."}}]`)
			run := s.Execute(s.Automation("long", "work through the night")).Session.ID
			s.Phase(run, "CALLING_AI", 0)
			events, stop := s.Listen("/v1/events")
			defer stop()
			<-events // the snapshot: all later events are received
			var waits []time.Duration
			for b.Loop() {
				b.StopTimer()
				chat := s.Chat()
				b.StartTimer()
				began := time.Now()
				mustPost(b, s.URL+"/v1/sessions/"+chat+"/messages", map[string]any{"text": "hello"})
				s.hasSlot(events, chat)
				waits = append(waits, time.Since(began))
				b.StopTimer()
				s.Settle(chat)
				mustPost(b, s.URL+"/v1/sessions/"+chat+"/stop", nil)
				s.hasSlot(events, run) // it comes back by itself, in the middle of its call
				b.StartTimer()
			}
			slices.Sort(waits)
			b.ReportMetric(milliseconds(waits[len(waits)/2]), "p50-ms")
			b.ReportMetric(milliseconds(waits[len(waits)*99/100]), "p99-ms")
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mustPost(b *testing.B, url string, body any) {
	b.Helper()
	encoded, err := json.Marshal(body)
	harness.Must(b, err)
	request, err := http.NewRequestWithContext(b.Context(), "POST", url, bytes.NewReader(encoded))
	harness.Must(b, err)
	if request.Header.Set("Content-Type", "application/json"); body == nil {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	response, err := harness.BenchClient.Do(request)
	harness.Must(b, err)
	response.Body.Close()
	if response.StatusCode/100 != 2 {
		b.Fatalf("POST %s: status %d", url, response.StatusCode)
	}
}

// hasSlot waits until the stream says that a session has the slot.
func (s *server) hasSlot(events <-chan harness.Event, session string) {
	s.T.Helper()
	for e := range events {
		if e.Name == "slot.changed" && (&harness.Reply{T: s.T, Body: []byte(e.Data)}).Str("holder.id") == session {
			return
		}
	}
	s.T.Fatal("the stream has ended")
}

// BenchmarkAutomationsAtRest is a look of the scheduler at ten thousand workspaces, each
// with an automation that is due another day: its processor time, the test's own
// database left out.
func BenchmarkAutomationsAtRest(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			v := newVirtual(b, open(b), time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
			v.atRest(10_000)
			v.ok(v.loop.RunOnce(b.Context()))
			before, n := harness.ProcessTime(), 0
			for b.Loop() {
				v.ok(v.loop.RunOnce(b.Context()))
				n++
			}
			b.ReportMetric(float64((harness.ProcessTime()-before).Microseconds())/float64(n), "cpu-us/tick")
		})
	}
}

// atRest makes workspaces with an automation each.
func (v *virtual) atRest(n int) {
	v.t.Helper()
	for i := range n {
		id := fmt.Sprintf("rest-%d", i)
		v.ok(v.store.Workspaces.CreateWorkspace(v.t.Context(), &domain.Workspace{ID: id, Name: id, Settings: oneLane(), CreatedAt: v.now}))
		_, _, err := v.automations.CreateAutomation(v.t.Context(), id, automation.NewAutomation{
			Name: "daily", Enabled: true, Misfire: automation.MisfireOnce, Overlap: automation.OverlapSkip, Completion: automation.CompletionAuto,
			Schedule: &automation.Schedule{Type: "cron", Expression: "0 8 * * *", TimeZone: "UTC"},
			Seed:     domain.RichContent{Segments: []domain.Segment{{Type: "text", Text: "Work."}}, LinearText: "Work."},
		})
		v.ok(err)
	}
	v.ok(v.loop.RunOnce(v.t.Context())) // what was asked for while they were made
}

// Many workspaces at rest cost one query a look, however many they are.
func TestWorkspacesAtRestCostOneQuery(t *testing.T) {
	direct, proxy := testkit.Postgres(t), testkit.NewCutProxy(t)
	v := newVirtual(t, app.Database{DatabaseURL: proxy.URL(t, direct)}, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	v.atRest(50)
	v.ok(v.loop.RunOnce(t.Context())) // its statement is prepared
	proxy.LoseReply(0)
	v.ok(v.loop.RunOnce(t.Context()))
	if n := proxy.Replies(); n != 1 {
		t.Errorf("a look at workspaces at rest asks the database %d times, want once", n)
	}
}
