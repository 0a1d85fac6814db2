package stream

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// What a commit waits for: handing one event to so many listeners.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{0, 1, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			broker := New(Config{})
			subs := make([]*Subscription, n)
			for i := range subs {
				subs[i] = broker.Subscribe(Filter{Workspace: "w", Session: "s"})
				defer broker.Unsubscribe(subs[i])
			}
			e := &domain.LogEvent{WorkspaceID: "w", SessionID: "s", Type: domain.LogMessageCreated, Data: make([]byte, 500)}
			b.ReportAllocs()
			for b.Loop() {
				e.Seq++
				broker.Publish([]*domain.LogEvent{e})
				if e.Seq%100 == 0 {
					for _, s := range subs {
						s.take()
					}
				}
			}
		})
	}
}

func BenchmarkDelta(b *testing.B) {
	broker := New(Config{})
	for b.Loop() {
		broker.Delta("w", "s", "m", KindText, "token")
	}
}

// What an idle listener keeps, without its connection.
func BenchmarkIdleSubscription(b *testing.B) {
	broker := New(Config{})
	readers := make([]*Reader, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range readers {
		readers[i] = broker.Reader(nil, Filter{Workspace: "w", Session: "s"})
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for b.Loop() {
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(len(readers)), "B/listener")
	for _, r := range readers {
		r.Close()
	}
}
