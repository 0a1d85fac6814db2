package bus

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/stream"
)

// writing is an answer of this node that other nodes follow.
type writing struct {
	draft stream.Draft // the latest copy of the text
	dirty bool
	at    map[string]*place // the progress of each node

	over   bool
	reason string // why an answer is void
}

// place is how much of an answer's text a node has.
type place struct {
	bytes  [3]int
	chars  [3]int
	joined bool // it joined during the answer, and has nothing yet
}

// Watched reports whether a session is watched on another node.
func (n *Node) Watched(session string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.watchedElsewhere(session)
}

func (n *Node) watchedElsewhere(session string) bool {
	for _, p := range n.peers {
		if p.watches[session].After(n.cfg.Clock()) {
			return true
		}
	}
	return false
}

// Wrote records that an answer has grown. Its first piece is sent at once.
func (n *Node) Wrote(session string, first bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.writing[session]
	if w == nil {
		if !n.watchedElsewhere(session) {
			return
		}
		w = &writing{at: map[string]*place{}}
		n.writing[session] = w
		n.addReaders(session, w, !first)
	}
	w.dirty = true
	if first {
		n.urgent = true
	}
	if first || n.textDue() {
		n.poke()
	}
}

// addReaders adds every node that watches the session.
func (n *Node) addReaders(session string, w *writing, joined bool) {
	for id, p := range n.peers {
		if w.at[id] == nil && p.watches[session].After(n.cfg.Clock()) {
			w.at[id] = &place{joined: joined}
		}
	}
}

func (n *Node) textDue() bool { return n.cfg.Clock().Sub(n.texts) >= gatherText }

// textWaits reports whether there is text that was not due yet.
func (n *Node) textWaits() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, w := range n.writing {
		if w.dirty {
			return true
		}
	}
	return false
}

// Stored records that the answer was stored as a message. Its rest is sent before the hint about
// that.
func (n *Node) Stored(d stream.Draft) { n.over(d, "") }

// Void records that the answer will not become a message.
func (n *Node) Void(session, message, reason string) {
	n.over(stream.Draft{Session: session, Message: message}, reason)
}

func (n *Node) over(d stream.Draft, reason string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w := n.writing[d.Session]
	if w == nil || w.draft.Message != "" && w.draft.Message != d.Message {
		return
	}
	if reason != "" {
		d.Workspace = w.draft.Workspace
	}
	w.draft, w.over, w.reason = d, true, reason
	delete(n.writing, d.Session)
	n.ended = append(n.ended, w)
	n.poke()
}

// drafts copies the answers that have grown, if a batch is due.
func (n *Node) drafts() []stream.Draft {
	n.mu.Lock()
	due := n.urgent || n.textDue()
	var sessions []string
	if due {
		for session, w := range n.writing {
			if w.dirty {
				sessions = append(sessions, session)
			}
		}
	}
	n.mu.Unlock()
	var drafts []stream.Draft
	for _, session := range sessions {
		if d, ok := n.cfg.Broker.Draft(session); ok {
			drafts = append(drafts, d)
			continue
		}
		n.mu.Lock()
		delete(n.writing, session) // it has ended; the next text begins a new one
		n.mu.Unlock()
	}
	return drafts
}

// compose turns the new text of the answers into parts for each node that follows. The caller holds
// the lock.
func (n *Node) compose(drafts []stream.Draft) {
	for _, w := range n.ended {
		for id, at := range w.at {
			if w.reason == "" {
				n.write(id, at, &w.draft)
			}
			n.own[id] = append(n.own[id], ending(w))
		}
	}
	n.ended = nil
	for i := range drafts {
		d := &drafts[i]
		w := n.writing[d.Session]
		if w == nil {
			continue // it ended meanwhile
		}
		if w.draft.Message != d.Message && w.draft.Message != "" { // the call was repeated
			w.at = map[string]*place{}
			n.addReaders(d.Session, w, false)
		}
		w.draft, w.dirty = *d, false
		for id, at := range w.at {
			n.write(id, at, d)
		}
	}
	if len(drafts) > 0 {
		n.texts, n.urgent = n.cfg.Clock(), false
	}
}

func ending(w *writing) part {
	p := part{Kind: kindStored, Workspace: w.draft.Workspace, Session: w.draft.Session, Message: w.draft.Message, Seq: w.draft.Stored}
	if w.reason != "" {
		p.Kind, p.Cause = kindVoid, w.reason
	}
	return p
}

// write queues the text of an answer that a node does not have yet.
func (n *Node) write(id string, at *place, d *stream.Draft) {
	for i := range d.Parts {
		rest := d.Parts[i][min(at.bytes[i], len(d.Parts[i])):]
		for len(rest) > 0 {
			some := fitting(rest)
			n.own[id] = append(n.own[id], part{
				Kind: kindText, Workspace: d.Workspace, Session: d.Session, Message: d.Message, TextKind: stream.KindOf(i),
				Offset: at.chars[i], Text: string(some), Joined: at.joined && at.bytes[i] == 0,
			})
			at.bytes[i] += len(some)
			at.chars[i] += utf8.RuneCount(some)
			rest = rest[len(some):]
		}
	}
	at.joined = false
}

// fitting returns as much of a text as fits into one part, without splitting a character.
func fitting(text []byte) []byte {
	for n := min(len(text), maxText); ; n /= 2 {
		for n < len(text) && n > 0 && !utf8.RuneStart(text[n]) {
			n--
		}
		encoded, err := json.Marshal(string(text[:n]))
		if err == nil && len(encoded) <= maxText+2 || n <= 1 {
			return text[:n]
		}
	}
}

// restart resends everything to a node, because some of it was lost. The caller holds the lock.
func (n *Node) restart(id string) {
	n.own[id] = []part{{Kind: kindRestart}}
	for _, w := range n.writing {
		if at := w.at[id]; at != nil {
			*at = place{joined: true}
			w.dirty = true
		}
	}
}

// forgetPeers removes nodes that have been silent for too long.
func (n *Node) forgetPeers() {
	now := n.cfg.Clock()
	var gone []string
	n.mu.Lock()
	for id, p := range n.peers {
		if p.until.Before(now) {
			gone = append(gone, id)
			continue
		}
		for session, until := range p.watches {
			if until.Before(now) {
				n.unwatch(id, p, session)
			}
		}
	}
	n.mu.Unlock()
	for _, id := range gone {
		n.lost(id)
	}
}
