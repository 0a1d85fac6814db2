package stream

import (
	"maps"
	"slices"
	"time"
)

// HeartbeatHolds is how long a heartbeat counts as somebody watching.
const HeartbeatHolds = 5 * time.Minute

// Watched says whether somebody looks at the session: a stream of it is open, or a
// heartbeat came in the last five minutes. Its answers are then streamed.
func (b *Broker) Watched(session string) bool {
	b.mu.RLock()
	viewers := b.viewers[session]
	beat, ok := b.beats[session]
	b.mu.RUnlock()
	return viewers > 0 || ok && b.config.Clock().Sub(beat) <= HeartbeatHolds || b.far.Watched(session)
}

// Watching are the sessions that streams are open for here.
func (b *Broker) Watching() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Sorted(maps.Keys(b.viewers))
}

// Heartbeat says that somebody looks at these sessions now. The caller has checked
// that they are of the caller's workspace.
func (b *Broker) Heartbeat(sessions []string, now time.Time) {
	b.Beat(sessions, now)
	b.far.Beat(sessions, now)
}

// Beat notes a heartbeat that came to another node.
func (b *Broker) Beat(sessions []string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range sessions {
		b.beats[id] = now
	}
}

// tidy drops heartbeats that count no more.
func (b *Broker) tidy() {
	now := b.config.Clock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, beat := range b.beats {
		if now.Sub(beat) > HeartbeatHolds {
			delete(b.beats, id)
		}
	}
}

// Load counts what the Broker carries now.
type Load struct {
	Streams    int // open subscriptions
	Workspaces int // that somebody listens to or where an answer is being written
	Answers    int // being written
}

// Load is for the metrics and the operator's page.
func (b *Broker) Load() Load {
	b.mu.RLock()
	defer b.mu.RUnlock()
	load := Load{Workspaces: len(b.topics)}
	for _, t := range b.topics {
		t.mu.Lock()
		load.Answers += len(t.answers)
		t.each(func(*Subscription) { load.Streams++ })
		t.mu.Unlock()
	}
	return load
}

// StreamsOf counts the open subscriptions of one workspace.
func (b *Broker) StreamsOf(workspace string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	n := 0
	if t := b.topics[workspace]; t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.each(func(*Subscription) { n++ })
	}
	return n
}
