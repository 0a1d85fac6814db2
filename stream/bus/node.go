package bus

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

const (
	// gather is the minimum interval between messages; what happens in between is sent together.
	gather = 20 * time.Millisecond
	// gatherText is the minimum interval between batches of an answer's text.
	gatherText = 60 * time.Millisecond
	// helloEvery is how often a node announces itself and its watched sessions; forgetAfter is how
	// long an announcement is valid.
	helloEvery  = 5 * time.Second
	forgetAfter = 3*helloEvery + 2*time.Second
	// retrySend is the delay before a failed send is retried.
	retrySend  = time.Second
	sendWithin = 5 * time.Second
)

// Scheduler is the part of this node that assigns slots.
type Scheduler interface {
	// HandleHint receives a change in a workspace that was made on another node.
	HandleHint(h domain.Hint)
	// Sweep checks all workspaces: messages may have been missed, or a node has left.
	Sweep()
}

// Runner is the run loop of this node.
type Runner interface {
	Cut(session string, epoch int64, cause error)
	Yield(session string)
	// Forget invalidates the cached data of a workspace, because it changed.
	Forget(workspace string)
}

// Config of a Node. Only Gone is optional.
type Config struct {
	// ID is unique to this start of the node.
	ID        string
	Wire      Wire
	Broker    *stream.Broker
	Events    stream.Log
	Scheduler Scheduler
	Runner    Runner
	// Causes maps the names of causes on the wire to errors.
	Causes map[string]error
	// Gone is called when another node has left or has been silent for too long: its sessions may
	// be claimable.
	Gone  func()
	Clock clock.Clock
	Log   zerolog.Logger
}

// Node is this node's connection to the bus.
type Node struct {
	cfg   Config
	names map[error]string
	kick  chan struct{}

	mu       sync.Mutex
	parts    []part                  // for all nodes, in order
	hints    map[string]*domain.Hint // for all nodes, by workspace
	watching map[string]bool         // changes of this node's streams, by session
	own      map[string][]part       // for a single node
	peers    map[string]*peer
	writing  map[string]*writing // answers being sent, by session
	ended    []*writing          // those of them that have ended
	texts    time.Time           // time of the last batch of text
	urgent   bool                // some text must be sent at once
	counts   Counts

	wanted  map[string]int64 // numbers that workspaces have reached on other nodes
	all     bool             // any workspace may have new events
	reading chan struct{}

	stop context.CancelFunc
	done sync.WaitGroup
}

// Counts are the numbers of messages, for metrics and operators.
type Counts struct{ Sent, Received, Missed int64 }

// peer is another node.
type peer struct {
	until   time.Time
	watches map[string]time.Time // the sessions watched there, with the expiry of each
}

// New returns a Node. Start connects it.
func New(c Config) *Node {
	n := &Node{
		cfg: c, names: map[error]string{}, kick: make(chan struct{}, 1), reading: make(chan struct{}, 1),
		hints: map[string]*domain.Hint{}, watching: map[string]bool{}, own: map[string][]part{},
		peers: map[string]*peer{}, writing: map[string]*writing{}, wanted: map[string]int64{},
	}
	for name, cause := range c.Causes {
		n.names[cause] = name
	}
	return n
}

// Start connects and announces this node.
func (n *Node) Start(ctx context.Context) error {
	if err := n.cfg.Wire.Start(ctx, []string{everybody, channelOf(n.cfg.ID)}, n.receive, n.missed); err != nil {
		return err
	}
	ctx, n.stop = context.WithCancel(context.Background())
	n.done.Go(func() { n.run(ctx) })
	n.done.Go(func() { n.catchUp(ctx) })
	return nil
}

// Stop announces the departure, so that other nodes need not wait for a timeout, and disconnects.
func (n *Node) Stop(ctx context.Context) error {
	if n.stop == nil {
		return nil
	}
	n.stop()
	n.done.Wait()
	n.mu.Lock()
	n.parts = append(n.parts, part{Kind: kindBye})
	n.mu.Unlock()
	n.send(ctx)
	return n.cfg.Wire.Stop(ctx)
}

// poke wakes the sender.
func (n *Node) poke() {
	select {
	case n.kick <- struct{}{}:
	default:
	}
}

// run is the sending goroutine.
func (n *Node) run(ctx context.Context) {
	hello := time.NewTicker(helloEvery)
	defer hello.Stop()
	texts := time.NewTimer(gatherText)
	defer texts.Stop()
	n.hello(false)
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.kick:
		case <-texts.C:
		case <-hello.C:
			n.forgetPeers()
			n.hello(false)
		}
		pause := gather
		if !n.send(ctx) {
			pause = retrySend
		}
		rest := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			rest.Stop()
			return
		case <-rest.C:
		}
		if n.textWaits() {
			texts.Reset(gatherText)
		}
	}
}

// send sends everything that is pending, and reports whether it succeeded. Text goes first: it must
// precede the hint that its message is stored.
func (n *Node) send(ctx context.Context) bool {
	texts, everywhere, hints := n.collect()
	var parcels []Parcel
	for _, to := range texts {
		parcels = n.wrap(parcels, channelOf(to.id), to.parts)
	}
	parcels = n.wrap(parcels, everybody, everywhere)
	if len(parcels) == 0 {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	if err := n.cfg.Wire.Send(ctx, parcels); err != nil {
		if ctx.Err() == nil {
			n.cfg.Log.Warn().Err(err).Msg("the other nodes could not be notified; they will find the changes in the database")
		}
		n.unsent(hints)
		return false
	}
	n.mu.Lock()
	n.counts.Sent += int64(len(parcels))
	n.mu.Unlock()
	return true
}

func (n *Node) wrap(parcels []Parcel, channel string, parts []part) []Parcel {
	more, err := pack(n.cfg.ID, channel, parts)
	if err != nil {
		n.cfg.Log.Error().Err(err).Msg("news for the other nodes could not be packed")
	}
	return append(parcels, more...)
}

// unsent keeps the hints for a retry. Lost text is resent from its start.
func (n *Node) unsent(hints map[string]*domain.Hint) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for ws, h := range hints {
		if later := n.hints[ws]; later != nil {
			h.Merge(later)
		}
		n.hints[ws] = h
	}
	for id := range n.peers {
		n.restart(id)
	}
	n.poke()
}

// Counts returns the numbers of messages so far.
func (n *Node) Counts() Counts {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts
}

// Peers returns the number of other nodes that are known.
func (n *Node) Peers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.peers)
}
