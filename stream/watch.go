package stream

import (
	"maps"
	"slices"
	"time"
)

// HeartbeatHolds is how long a heartbeat counts as a viewer.
const HeartbeatHolds = 5 * time.Minute

// Watched reports whether the session has viewers: a stream of it is open, or a heartbeat came in
// the last five minutes. Only then are its answers streamed.
func (b *Broker) Watched(session string) bool {
	b.mu.RLock()
	viewers := b.viewers[session]
	beat, ok := b.beats[session]
	b.mu.RUnlock()
	return viewers > 0 || ok && b.config.Clock().Sub(beat) <= HeartbeatHolds || b.far.Watched(session)
}

// Watching lists the sessions with open streams here.
func (b *Broker) Watching() []string {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return slices.Sorted(maps.Keys(b.viewers))
}

// Heartbeat records viewers of these sessions. The caller has checked that they belong to the
// caller's workspace.
func (b *Broker) Heartbeat(sessions []string, now time.Time) {
	b.Beat(sessions, now)
	b.far.Beat(sessions, now)
}

// Beat records a heartbeat that another node received.
func (b *Broker) Beat(sessions []string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range sessions {
		b.beats[id] = now
	}
}

// tidy drops expired heartbeats.
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

// Load is the current load of the Broker.
type Load struct {
	Streams    int // open subscriptions
	Workspaces int // with listeners or with an answer in progress
	Answers    int // being written
}

// Load returns the current load, for metrics and operators.
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
