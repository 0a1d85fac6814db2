package bus

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/stream"
)

// receive handles a message of another node.
func (n *Node) receive(payload string) {
	from, parts, err := unpack(payload)
	if from == n.cfg.ID {
		return
	}
	if err != nil {
		n.cfg.Log.Warn().Err(err).Msg("news of another node could not be read")
	}
	if from == "" {
		return // no node: any client of the database can send on the channel
	}
	n.mu.Lock()
	n.counts.Received++
	n.mu.Unlock()
	n.meet(from)
	for i := range parts {
		n.take(from, &parts[i])
	}
}

// meet records that a node exists. Nodes that are new to each other exchange which sessions are
// watched.
func (n *Node) meet(from string) {
	n.mu.Lock()
	p := n.peers[from]
	known := p != nil
	if !known {
		p = &peer{watches: map[string]time.Time{}}
		n.peers[from] = p
	}
	p.until = n.cfg.Clock().Add(forgetAfter)
	n.mu.Unlock()
	if !known {
		n.hello(false)
	}
}

func (n *Node) take(from string, p *part) {
	switch p.Kind {
	case kindHello:
		if p.Ask {
			n.hello(false)
		}
	case kindBye:
		n.lost(from)
	case kindHint:
		if p.Hint != nil {
			n.hinted(*p.Hint)
		}
	case kindCut:
		if cause := n.cfg.Causes[p.Cause]; cause != nil {
			n.cfg.Runner.Cut(p.Session, p.Epoch, cause)
		}
	case kindYield:
		n.cfg.Runner.Yield(p.Session)
	case kindBeat:
		if p.At != nil {
			n.cfg.Broker.Beat(p.Sessions, *p.At)
		}
	case kindWatching, kindLeft:
		n.watchers(from, p.Sessions, p.Kind == kindWatching)
	case kindText, kindStored, kindVoid, kindAgain, kindRestart:
		n.takeText(from, p)
	}
}

func (n *Node) takeText(from string, p *part) {
	switch p.Kind {
	case kindText:
		piece := stream.Text{SessionID: p.Session, MessageID: p.Message, Kind: p.TextKind, Offset: p.Offset, Text: p.Text}
		if !n.cfg.Broker.Receive(from, p.Workspace, piece, p.Joined) {
			n.mu.Lock()
			n.own[from] = append(n.own[from], part{Kind: kindAgain, Sessions: []string{p.Session}})
			n.mu.Unlock()
			n.poke()
		}
	case kindStored:
		n.cfg.Broker.Over(p.Session, p.Message, p.Seq)
	case kindVoid:
		n.cfg.Broker.Discard(p.Workspace, p.Session, p.Message, p.Cause)
	case kindAgain:
		n.again(from, p.Sessions)
	case kindRestart:
		n.cfg.Broker.Forsake(from, "")
	}
}

// hinted passes a hint to the scheduler, the runner and the broker.
func (n *Node) hinted(h domain.Hint) {
	if h.Data {
		n.cfg.Runner.Forget(h.WorkspaceID)
	}
	n.cfg.Scheduler.HandleHint(h)
	n.mu.Lock()
	n.wanted[h.WorkspaceID] = max(n.wanted[h.WorkspaceID], h.Seq)
	n.mu.Unlock()
	n.read()
}

// read wakes catchUp.
func (n *Node) read() {
	select {
	case n.reading <- struct{}{}:
	default:
	}
}

// catchUp reads events that were committed on other nodes for the listeners of this one. It has its
// own goroutine, so that a slow database does not delay a cut.
func (n *Node) catchUp(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.reading:
		}
		n.mu.Lock()
		wanted, all := n.wanted, n.all
		n.wanted, n.all = map[string]int64{}, false
		n.mu.Unlock()
		if all {
			n.cfg.Broker.LookAll(ctx)
		}
		for ws, seq := range wanted {
			n.cfg.Broker.CatchUp(ctx, n.cfg.Events, ws, seq)
		}
	}
}

// watchers records which sessions are watched on a node, until it reports otherwise. A node that
// joins during an answer gets the text so far.
func (n *Node) watchers(from string, sessions []string, yes bool) {
	written := map[string]bool{}
	for _, session := range sessions {
		_, written[session] = n.cfg.Broker.Draft(session)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	p := n.peers[from]
	if p == nil {
		return
	}
	for _, session := range sessions {
		if !yes {
			n.unwatch(from, p, session)
			continue
		}
		p.watches[session] = n.cfg.Clock().Add(forgetAfter)
		if !written[session] {
			continue
		}
		w := n.writing[session]
		if w == nil {
			w = &writing{at: map[string]*place{}}
			n.writing[session] = w
		}
		if w.at[from] == nil {
			w.at[from] = &place{joined: true}
			w.dirty, n.urgent = true, true
			n.poke()
		}
	}
}

func (n *Node) unwatch(from string, p *peer, session string) {
	delete(p.watches, session)
	if w := n.writing[session]; w != nil {
		if delete(w.at, from); len(w.at) == 0 {
			delete(n.writing, session)
		}
	}
}

// again resends the text of sessions from its start; of all sessions if none is named.
func (n *Node) again(from string, sessions []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(sessions) == 0 {
		n.restart(from)
	}
	for _, session := range sessions {
		if w := n.writing[session]; w != nil && w.at[from] != nil {
			*w.at[from] = place{joined: true}
			w.dirty = true
		}
	}
	n.urgent = true
	n.poke()
}

// missed handles a possible loss of messages: it checks everything; and because it may have missed
// a request to resend text, it resends it.
func (n *Node) missed() {
	n.mu.Lock()
	n.counts.Missed++
	n.all = true
	for id := range n.peers {
		n.restart(id)
	}
	n.mu.Unlock()
	n.cfg.Broker.Forsake("", "")
	n.broadcast(part{Kind: kindAgain})
	n.hello(true)
	n.cfg.Scheduler.Sweep()
	n.read()
}

// lost removes a node that said good-bye or has been silent for too long.
func (n *Node) lost(id string) {
	n.mu.Lock()
	if p := n.peers[id]; p != nil {
		for session := range p.watches {
			n.unwatch(id, p, session)
		}
		delete(n.peers, id)
	}
	delete(n.own, id)
	n.mu.Unlock()
	n.cfg.Broker.Forsake(id, "cut")
	n.cfg.Scheduler.Sweep()
	if n.cfg.Gone != nil {
		n.cfg.Gone()
	}
}
