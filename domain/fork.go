package domain

import "slices"

// Forks: chats whose record begins with that of another session. The beginning is shared, not copied: it
// is read, part by part, from the sessions that wrote it.

// ForkOrigin is what a fork began from. It never changes.
type ForkOrigin struct {
	SessionID string `json:"session_id"`
	MessageID string `json:"message_id"`
	// Parts make the beginning of the record, in its order. They name the sessions that wrote
	// it: of a fork of a fork there is no chain to follow.
	Parts []RecordPart `json:"parts"`
}

// RecordPart is a stretch of a session's record: its messages after a number, up to another.
type RecordPart struct {
	SessionID string `json:"s"`
	After     int64  `json:"a,omitempty"`
	To        int64  `json:"t"`
	// Current: its messages were the current ones when the fork was made; later changes do not matter.
	Current bool `json:"c,omitempty"`
}

// Has reports whether a message of the part's session is in it.
func (p RecordPart) Has(seq int64) bool { return seq > p.After && seq <= p.To }

// MaxRecordParts bounds of how many parts the beginning of a record is made.
const MaxRecordParts = 100

// NewFork asks for a fork.
type NewFork struct {
	ID         string // "": the server makes one
	MessageID  string // the last message that it has in common with the session
	Name       string
	ProviderID string
	Message    *NewMessage // sent at once
	By         Author
}

// ForkPoint is what a fork is made of: the session, the message, and the session that wrote it
// with the messages of its round up to that one, in order.
type ForkPoint struct {
	Session *Session
	Message *Message
	Round   []*Message
}

// Inherited are the parts with which the record of the session begins.
func (s *Session) Inherited() []RecordPart {
	if s.Origin == nil {
		return nil
	}
	return s.Origin.Parts
}

// Parts lists what a fork at this point consists of: everything before the round of the message, and of
// that round the try that the message belongs to. The message about an open wait is left out: it is
// removed when the wait ends.
func (p *ForkPoint) Parts() []RecordPart {
	whole := append(slices.Clone(p.Session.Inherited()), RecordPart{SessionID: p.Session.ID, To: p.Message.Seq})
	writer, first := p.Message.SessionID, p.Message.Seq
	if len(p.Round) > 0 {
		first = p.Round[0].Seq
	}
	at := slices.IndexFunc(whole, func(x RecordPart) bool { return x.SessionID == writer && x.To >= first })
	parts := slices.Clone(whole[:max(at, 0)])
	if at >= 0 && whole[at].After < first-1 {
		before := whole[at]
		before.To = first - 1
		parts = append(parts, before)
	}
	belongs := tryOf(p.Round, p.Message.RoundID)
	for _, m := range p.Round {
		inside := slices.ContainsFunc(whole[max(at, 0):], func(x RecordPart) bool { return x.SessionID == writer && x.Has(m.Seq) })
		if !inside || !belongs(m) || m.ID == p.openWait() {
			continue
		}
		if n := len(parts); n > 0 && parts[n-1].Current && parts[n-1].To == previousIn(p.Round, m) {
			parts[n-1].To = m.Seq
			continue
		}
		parts = append(parts, RecordPart{SessionID: writer, After: m.Seq - 1, To: m.Seq, Current: true})
	}
	return parts
}

// openWait is the id of the message about a wait that is still open.
func (p *ForkPoint) openWait() string {
	if w := p.Session.State.Waiting; w != nil {
		return w.CancelMessageID
	}
	return ""
}

// previousIn is the number of the message before another in a round.
func previousIn(round []*Message, m *Message) int64 {
	for i, x := range round {
		if x == m && i > 0 {
			return round[i-1].Seq
		}
	}
	return 0
}
