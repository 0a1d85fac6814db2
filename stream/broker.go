package stream

import (
	"context"
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Config of a Broker.
type Config struct {
	Clock clock.Clock
	// Gather is how long text is collected before it is sent. The default is 30 ms.
	Gather time.Duration
	// Newest returns the number of a workspace's latest event. It is called for every workspace
	// with listeners once per Poll (default 5 s), so that a lost hint only delays an event. nil
	// disables this.
	Newest func(ctx context.Context, workspace string) (int64, error)
	Poll   time.Duration
}

// Broker delivers committed events and the text of answers to listeners.
type Broker struct {
	config Config
	reads  chan struct{} // limits concurrent reads of the log when all listeners reconnect at once

	mu      sync.RWMutex
	topics  map[string]*topic
	writers map[string]*topic // topics in which an answer is being written, by session
	viewers map[string]int    // open streams, by session
	beats   map[string]time.Time
	stopped bool
	far     Far            // the other nodes, if any
	open    sync.WaitGroup // subscriptions

	dirtyMu sync.Mutex
	dirty   []*topic
	kick    chan struct{}

	cancel context.CancelFunc
	done   chan struct{}
}

// New returns a Broker. Text and delayed hints are delivered only between Start and Stop.
func New(c Config) *Broker {
	if c.Gather == 0 {
		c.Gather = 30 * time.Millisecond
	}
	if c.Poll == 0 {
		c.Poll = 5 * time.Second
	}
	if c.Clock == nil {
		c.Clock = clock.System
	}
	return &Broker{
		config: c, reads: make(chan struct{}, 16), kick: make(chan struct{}, 1),
		topics: map[string]*topic{}, writers: map[string]*topic{},
		viewers: map[string]int{}, beats: map[string]time.Time{}, far: noPeers{},
	}
}

// Publish delivers committed events to listeners. It never blocks on one.
func (b *Broker) Publish(events []*domain.LogEvent) {
	for len(events) > 0 {
		n := 1
		for n < len(events) && events[n].WorkspaceID == events[0].WorkspaceID {
			n++
		}
		if t := b.find(events[0].WorkspaceID); t != nil && t.publish(events[:n]) {
			t.mu.Lock()
			b.markDirty(t)
			t.mu.Unlock()
		}
		events = events[n:]
	}
}

// Hint announces that a workspace's log has reached seq on another node, without the events.
// Listeners read them from the log.
func (b *Broker) Hint(ws string, seq int64) {
	if t := b.find(ws); t != nil {
		t.mu.Lock()
		t.jump(seq)
		t.mu.Unlock()
	}
}

// Subscribe adds a listener. The caller must call Unsubscribe.
func (b *Broker) Subscribe(f Filter) *Subscription {
	s := &Subscription{filter: f, ready: make(chan struct{}, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped {
		s.end(ErrStopped)
		return s
	}
	b.open.Add(1)
	s.topic = b.enter(f.Workspace)
	s.topic.add(s)
	for _, id := range f.watched() {
		if b.viewers[id]++; b.viewers[id] == 1 {
			b.far.Watching(id)
		}
	}
	return s
}

// Unsubscribe removes a listener. It may be called again.
func (b *Broker) Unsubscribe(s *Subscription) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.end(ErrStopped)
	if s.topic == nil {
		return
	}
	s.topic.remove(s)
	for _, id := range s.filter.watched() {
		if b.viewers[id]--; b.viewers[id] <= 0 {
			delete(b.viewers, id)
			b.far.Left(id)
			b.dropForeign(s.topic, id)
		}
	}
	b.close(s.topic)
	s.topic = nil
	b.open.Done()
}

// find returns the topic of a workspace, or nil if it has no listeners.
func (b *Broker) find(ws string) *topic {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.topics[ws]
}

func (b *Broker) writer(session string) *topic {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.writers[session]
}

// enter and close create a topic and delete it when it is unused. The caller holds b.mu.
func (b *Broker) enter(ws string) *topic {
	t := b.topics[ws]
	if t == nil {
		t = newTopic(ws, b.far)
		b.topics[ws] = t
	}
	return t
}

func (b *Broker) close(t *topic) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.idle() && b.topics[t.workspace] == t {
		delete(b.topics, t.workspace)
	}
}
