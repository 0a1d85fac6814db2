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
	// Gather is how long text is gathered before it is sent; 30 ms if not set.
	Gather time.Duration
	// Newest reads the number of a workspace's latest event. With it, the workspaces
	// that somebody listens to are looked up every Poll (5 s if not set), so that a
	// lost hint delays an event and never loses it. Nil: no look-up.
	Newest func(ctx context.Context, workspace string) (int64, error)
	Poll   time.Duration
}

// Broker is where committed events and the text of answers meet their listeners.
type Broker struct {
	config Config
	reads  chan struct{} // bounds reads of the log when everybody comes back at once

	mu      sync.RWMutex
	topics  map[string]*topic
	writers map[string]*topic // where an answer is being written, by session
	viewers map[string]int    // open streams, by session
	beats   map[string]time.Time
	stopped bool
	far     Far            // nobody, or the other nodes
	open    sync.WaitGroup // subscriptions

	dirtyMu sync.Mutex
	dirty   []*topic
	kick    chan struct{}

	cancel context.CancelFunc
	done   chan struct{}
}

// New makes a Broker. Text and late hints move only between Start and Stop.
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

// Publish tells listeners of events that were committed. It never waits for one.
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

// Hint tells that a workspace's log has reached seq: news from another node, where
// the events are not at hand. Listeners read them.
func (b *Broker) Hint(ws string, seq int64) {
	if t := b.find(ws); t != nil {
		t.mu.Lock()
		t.jump(seq)
		t.mu.Unlock()
	}
}

// Subscribe begins to listen. Whoever subscribes must Unsubscribe.
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

// Unsubscribe ends listening; twice is the same as once.
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

// find is the topic of a workspace, nil when nobody listens there.
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

// enter and close keep a topic for as long as it is of use. The caller holds b.mu.
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
