package load

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/domain"
)

// BenchmarkRoundHere is a chat round with client, model and server in this process, beside
// the floor in it too: for the profiler. "x-floor" is the ratio of the medians.
func BenchmarkRoundHere(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			db, llm := open(b), fakeLLM(b)
			lower := newBenchTalker(b, door{url: newFloor(b, db, llm).URL})
			s := newServer(b, db)
			s.configureFake(llm)
			upper := newBenchTalker(b, door{url: s.URL})
			for range 20 {
				lower.round()
				upper.round()
			}
			var ours, theirs []time.Duration
			var mine, its time.Duration
			for b.Loop() {
				theirs = append(theirs, timed(lower.round, &its))
				ours = append(ours, timed(upper.round, &mine))
			}
			slices.Sort(ours)
			slices.Sort(theirs)
			p50, floor50 := ours[len(ours)/2], theirs[len(theirs)/2]
			b.ReportMetric(float64(p50.Microseconds()), "p50-us")
			b.ReportMetric(float64(floor50.Microseconds()), "floor-p50-us")
			b.ReportMetric(float64(p50)/float64(floor50), "x-floor")
			b.ReportMetric(float64(mine)/float64(its), "x-floor-cpu")
		})
	}
}

// timed runs a round and adds what the process spent meanwhile (client and model
// included, on both sides).
func timed(round func(), cpu *time.Duration) time.Duration {
	started, before := time.Now(), harness.ProcessTime()
	round()
	*cpu += harness.ProcessTime() - before
	return time.Since(started)
}

// longestWhole is the longest history that is still sent to the model as a whole: of a
// longer one only what the usual budget leaves.
const longestWhole = 10_000

// BenchmarkRoundInALongSession measures the same round behind a history.
func BenchmarkRoundInALongSession(b *testing.B) {
	for _, n := range []int{0, 1_000, longestWhole, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newServer(b, harness.Databases["sqlite"](b))
			s.configureFake(fakeLLM(b))
			budget := map[string]any{}
			if n <= longestWhole {
				budget["context_budget_tokens"] = nil
			}
			s.Call("PATCH", "/v1/settings", map[string]any{"limits": map[string]any{"chat": budget}}).Want(200)
			talk := newBenchTalker(b, door{url: s.URL})
			s.prefill(talk.session, n)
			talk.round()
			for b.Loop() {
				talk.round()
			}
		})
	}
}

// prefill stores a history as if it had been said.
func (s *server) prefill(session string, n int) {
	s.T.Helper()
	for done := 0; done < n; done += 500 {
		_, err := s.Parts.Store.Decide(s.T.Context(), "default", session, nil, func(_ context.Context, v *domain.View) (*domain.Change, error) {
			c := &domain.Change{WorkspaceID: "default", At: time.Now(), Sessions: []domain.SessionWrite{{Session: v.Session.Clone()}}}
			for i := range min(500, n-done) {
				m := &domain.Message{
					ID: fmt.Sprintf("msg_%s_%d", session, done+i), WorkspaceID: "default", SessionID: session,
					Timestamp: c.At, Status: domain.MessageStored, Sender: domain.SenderUser,
					Rich: &domain.RichContent{LinearText: strings.Repeat("history ", 25)},
				}
				if i%2 == 1 {
					m.Sender, m.Rich = domain.SenderAI, nil
					m.AI = &domain.AIMessage{PreText: strings.Repeat("history ", 25)}
					m.Raw = &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: m.AI.PreText, StopReason: "stop"}
				}
				c.Messages = append(c.Messages, m)
				c.Emit(domain.LogEvent{SessionID: session, Type: domain.LogMessageCreated, Message: m})
			}
			return c, nil
		})
		harness.Must(s.T, err)
	}
}

// BenchmarkListeners sends an event to 1,000 listeners of one session and waits until
// the last has it.
func BenchmarkListeners(b *testing.B) {
	s := newServer(b, harness.Databases["sqlite"](b))
	chat := s.Chat()
	const listeners = 1000
	got := make(chan struct{}, listeners*4)
	for range listeners {
		events, _ := s.Listen("/v1/sessions/" + chat + "/events")
		go func() {
			for e := range events {
				if e.Name == "session.status" {
					got <- struct{}{}
				}
			}
		}()
	}
	time.Sleep(200 * time.Millisecond)
	before := harness.ProcessTime()
	n := 0
	for b.Loop() {
		n++
		s.Call("PATCH", "/v1/sessions/"+chat, map[string]any{"name": fmt.Sprint("name ", n)}).Want(200)
		for range listeners {
			<-got
		}
	}
	b.ReportMetric(float64((harness.ProcessTime()-before).Microseconds())/float64(n*listeners), "cpu-us/delivery")
}

// BenchmarkIdleStreams weighs each of many open streams beside a bare handler that
// only waits. Both ends are in this process; the client's share is the same.
func BenchmarkIdleStreams(b *testing.B) {
	const n = 5000
	s := newServer(b, harness.Databases["sqlite"](b), func(f *app.Config) { f.Rate.StreamsPerAddress = 2 * n })
	chat := s.Chat()
	bare := http.NewServeMux()
	bare.HandleFunc("GET /bare", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	floor := newBare(b, bare)
	for b.Loop() {
		its := weigh(b, floor+"/bare", n)
		ours := weigh(b, s.URL+"/v1/sessions/"+chat+"/events/stream", n)
		b.ReportMetric(ours/1024, "KiB/stream")
		b.ReportMetric(its/1024, "KiB/bare")
		b.ReportMetric(ours/its, "x-bare")
	}
}

// BenchmarkStart measures from nothing to ready, and what the server weighs then.
func BenchmarkStart(b *testing.B) {
	for name, open := range harness.Databases {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				db := open(b)
				b.StartTimer()
				s := newServer(b, db)
				res, err := harness.BenchClient.Get(s.URL + "/readyz")
				harness.Must(b, err)
				res.Body.Close()
				b.StopTimer()
				s.Stop()
				b.StartTimer()
			}
			runtime.GC()
		})
	}
}
