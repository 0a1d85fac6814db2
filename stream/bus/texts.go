package bus

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/stream"
)

// writing is an answer of this node that other nodes read along.
type writing struct {
	draft stream.Draft // as it was last looked at
	dirty bool
	at    map[string]*place // how far each node has it

	over   bool
	reason string // of an answer that is void
}

// place is how far a node has the text of an answer.
type place struct {
	bytes  [3]int
	chars  [3]int
	joined bool // it came in mid-answer, and has nothing yet
}

// Watched says whether a session is watched on another node.
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

// Wrote notes that an answer has grown. The first of it, people wait for.
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

// addReaders gives every node that watches a place in the text.
func (n *Node) addReaders(session string, w *writing, joined bool) {
	for id, p := range n.peers {
		if w.at[id] == nil && p.watches[session].After(n.cfg.Clock()) {
			w.at[id] = &place{joined: joined}
		}
	}
}

func (n *Node) textDue() bool { return n.cfg.Clock().Sub(n.texts) >= gatherText }

// textWaits says whether there is text that was not due.
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

// Stored: the answer has become a message. Its rest goes out before the news of that.
func (n *Node) Stored(d stream.Draft) { n.over(d, "") }

// Void: the answer will not become a message.
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

// drafts looks at the answers that have grown, if it is time to send.
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
		delete(n.writing, session) // it is over already; the next text begins a new one
		n.mu.Unlock()
	}
	return drafts
}

// compose turns what is new of the answers into parts, for each node that reads along.
// The caller holds the lock.
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
		if w.draft.Message != d.Message && w.draft.Message != "" { // the call was made again
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

// write sends a node what it does not have yet of an answer.
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

// fitting is as much of a text as one part holds, whole characters.
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

// restart sends a node everything from its start, because some of it was lost. The
// caller holds the lock.
func (n *Node) restart(id string) {
	n.own[id] = []part{{Kind: kindRestart}}
	for _, w := range n.writing {
		if at := w.at[id]; at != nil {
			*at = place{joined: true}
			w.dirty = true
		}
	}
}

// forgetPeers drops nodes of which nothing was heard for long.
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
