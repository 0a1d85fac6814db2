package branch

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// ForkPoint is what a fork is made of: the session, the message, and the session that wrote it
// with the messages of its round up to that one, in order.
type ForkPoint struct {
	Session *domain.Session
	Message *domain.Message
	Round   []*domain.Message
}

// Parts lists what a fork at this point consists of: everything before the round of the message, and of
// that round the try that the message belongs to. The message about an open wait is left out: it is
// removed when the wait ends.
func (p *ForkPoint) Parts() []domain.RecordPart {
	whole := append(slices.Clone(p.Session.Inherited()), domain.RecordPart{SessionID: p.Session.ID, To: p.Message.Seq})
	writer, first := p.Message.SessionID, p.Message.Seq
	if len(p.Round) > 0 {
		first = p.Round[0].Seq
	}
	at := slices.IndexFunc(whole, func(x domain.RecordPart) bool { return x.SessionID == writer && x.To >= first })
	parts := slices.Clone(whole[:max(at, 0)])
	if at >= 0 && whole[at].After < first-1 {
		before := whole[at]
		before.To = first - 1
		parts = append(parts, before)
	}
	belongs := tryOf(p.Round, p.Message.RoundID)
	for _, m := range p.Round {
		inside := slices.ContainsFunc(whole[max(at, 0):], func(x domain.RecordPart) bool { return x.SessionID == writer && x.Has(m.Seq) })
		if !inside || !belongs(m) || m.ID == p.openWait() {
			continue
		}
		if n := len(parts); n > 0 && parts[n-1].Current && parts[n-1].To == previousIn(p.Round, m) {
			parts[n-1].To = m.Seq
			continue
		}
		parts = append(parts, domain.RecordPart{SessionID: writer, After: m.Seq - 1, To: m.Seq, Current: true})
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
func previousIn(round []*domain.Message, m *domain.Message) int64 {
	for i, x := range round {
		if x == m && i > 0 {
			return round[i-1].Seq
		}
	}
	return 0
}
