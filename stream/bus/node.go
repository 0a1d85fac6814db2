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
	// gather is the least time between two sendings; what happens within it goes together.
	gather = 20 * time.Millisecond
	// gatherText is that between two batches of an answer's text.
	gatherText = 60 * time.Millisecond
	// helloEvery is how often a node says that it is there and who is watched there;
	// forgetAfter how long it is believed.
	helloEvery  = 5 * time.Second
	forgetAfter = 3*helloEvery + 2*time.Second
	// retrySend is when what could not be sent is sent again.
	retrySend  = time.Second
	sendWithin = 5 * time.Second
)

// Scheduler is the part of this node that gives slots away.
type Scheduler interface {
	// Heard is told what happened in a workspace on another node.
	Heard(h domain.Hint)
	// Sweep looks at all workspaces: something may have been missed, or a node is gone.
	Sweep()
}

// Runner is the run loop of this node.
type Runner interface {
	Cut(session string, epoch int64, cause error)
	Yield(session string)
	// Forget: the user's data of a workspace changed.
	Forget(workspace string)
}

// Config of a Node; every field is needed but Gone.
type Config struct {
	// ID is of this start of the node: two starts never have the same.
	ID        string
	Wire      Wire
	Broker    *stream.Broker
	Events    stream.Log
	Scheduler Scheduler
	Runner    Runner
	// Causes of a cut have names on the wire.
	Causes map[string]error
	// Gone is told when another node has left, or is heard of no more: its sessions may
	// be there to be taken up.
	Gone  func()
	Clock clock.Clock
	Log   zerolog.Logger
}

// Node is this node's end of the bus.
type Node struct {
	cfg   Config
	names map[error]string
	kick  chan struct{}

	mu       sync.Mutex
	parts    []part                  // for everybody, in their order
	hints    map[string]*domain.Hint // for everybody, by workspace
	watching map[string]bool         // news about this node's streams, by session
	own      map[string][]part       // for one node alone
	peers    map[string]*peer
	writing  map[string]*writing // answers that go out, by session
	ended    []*writing          // those of them that are over
	texts    time.Time           // when text was sent last
	urgent   bool                // some text shall not wait
	counts   Counts

	wanted  map[string]int64 // numbers that workspaces have reached elsewhere
	all     bool             // any of them may have
	reading chan struct{}

	stop context.CancelFunc
	done sync.WaitGroup
}

// Counts are for the metrics and the operator.
type Counts struct{ Sent, Received, Missed int64 }

// peer is another node that is there.
type peer struct {
	until   time.Time
	watches map[string]time.Time // sessions that are watched there, and until when that holds
}

// New makes a node; Start connects it.
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

// Start listens and says that this node is there.
func (n *Node) Start(ctx context.Context) error {
	if err := n.cfg.Wire.Start(ctx, []string{everybody, channelOf(n.cfg.ID)}, n.hear, n.missed); err != nil {
		return err
	}
	ctx, n.stop = context.WithCancel(context.Background())
	n.done.Go(func() { n.run(ctx) })
	n.done.Go(func() { n.catchUp(ctx) })
	return nil
}

// Stop says good-bye, so that others need not wait to notice, and ends.
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

// run is the one goroutine that sends.
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

// send sends what there is, and says whether it could. Text goes first: the news that
// its message is stored must not come before it.
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
			n.cfg.Log.Warn().Err(err).Msg("the other nodes could not be told; they find it in the database")
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

// unsent keeps the hints for the next try. Text that was lost begins anew.
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

// Counts are what came and went so far.
func (n *Node) Counts() Counts {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.counts
}

// Peers counts the other nodes that this one knows of.
func (n *Node) Peers() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.peers)
}
