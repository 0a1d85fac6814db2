package bus

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Committed queues the hint for a change that this node has committed. It must be called after the
// commit.
func (n *Node) Committed(c *domain.Change) {
	h := domain.HintOf(c)
	if h == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.peers) == 0 {
		return
	}
	if have := n.hints[h.WorkspaceID]; have != nil {
		have.Merge(h)
	} else {
		n.hints[h.WorkspaceID] = h
	}
	n.poke()
}

// Cut notifies the node that drives a session under a claim older than epoch.
func (n *Node) Cut(session string, epoch int64, cause error) {
	n.broadcast(part{Kind: kindCut, Session: session, Epoch: epoch, Cause: n.names[cause]})
}

// Yield notifies the node that drives a session that another session waits for its slot.
func (n *Node) Yield(session string) { n.broadcast(part{Kind: kindYield, Session: session}) }

// Beat forwards heartbeats of viewers of sessions.
func (n *Node) Beat(sessions []string, at time.Time) {
	for some := range slices.Chunk(sessions, maxListed) {
		n.broadcast(part{Kind: kindBeat, Sessions: some, At: &at})
	}
}

// broadcast queues a part for all other nodes, if there are any.
func (n *Node) broadcast(p part) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.peers) == 0 {
		return
	}
	n.parts = append(n.parts, p)
	n.poke()
}

// Watching announces that a session has a stream here.
func (n *Node) Watching(session string) { n.watch(session, true) }

// Left announces that a session has no stream here any more.
func (n *Node) Left(session string) { n.watch(session, false) }

func (n *Node) watch(session string, yes bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.peers) == 0 {
		return
	}
	n.watching[session] = yes
	n.poke()
}

// hello announces this node and its watched sessions.
func (n *Node) hello(ask bool) {
	watched := n.cfg.Broker.Watching()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.parts = append(n.parts, part{Kind: kindHello, Ask: ask})
	if len(n.peers) > 0 {
		for _, session := range watched {
			if _, pending := n.watching[session]; !pending {
				n.watching[session] = true
			}
		}
	}
	n.poke()
}

// letter is a message to a single node.
type letter struct {
	id    string
	parts []part
}

// collect takes everything that is pending.
func (n *Node) collect() (texts []letter, everywhere []part, hints map[string]*domain.Hint) {
	drafts := n.drafts()
	n.mu.Lock()
	defer n.mu.Unlock()
	n.compose(drafts)
	for id, parts := range n.own {
		texts = append(texts, letter{id, parts})
	}
	everywhere, hints = n.parts, n.hints
	everywhere = append(everywhere, n.watchParts()...)
	for _, ws := range slices.Sorted(maps.Keys(hints)) {
		everywhere = append(everywhere, part{Kind: kindHint, Hint: hints[ws]})
	}
	n.parts, n.hints, n.own = nil, map[string]*domain.Hint{}, map[string][]part{}
	return texts, everywhere, hints
}

func (n *Node) watchParts() []part {
	var parts []part
	for _, yes := range []bool{true, false} {
		var sessions []string
		for session, now := range n.watching {
			if now == yes {
				sessions = append(sessions, session)
			}
		}
		kind := kindWatching
		if !yes {
			kind = kindLeft
		}
		for some := range slices.Chunk(sessions, maxListed) {
			parts = append(parts, part{Kind: kind, Sessions: some})
		}
	}
	clear(n.watching)
	return parts
}

// gatherFor limits how long the text of an answer is awaited from another node.
const gatherFor = 300 * time.Millisecond

// Gather fetches the text of an answer that another node is writing, so that the part already
// received can be kept. It stays here until release is called.
func (n *Node) Gather(ctx context.Context, s *domain.Session) (release func()) {
	n.mu.Lock()
	owner := n.peers[s.OwnerIncarnation]
	n.mu.Unlock()
	if owner == nil || s.Phase != domain.CallingAI {
		return func() {}
	}
	ctx, cancel := context.WithTimeout(ctx, gatherFor)
	defer cancel()
	return n.cfg.Broker.Await(ctx, s.WorkspaceID, s.ID)
}
