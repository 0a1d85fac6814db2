package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// Continuation is a message after the round of an earlier one, whose session it continues.
type Continuation struct {
	Session  *domain.Session
	Message  *domain.Message // that began the earlier round
	Pieces   []Piece
	Protocol string // that identifies the message by the earlier one
}

// continuationFinder finds or stores such a message.
type continuationFinder struct {
	*finder
	Continuation
	key domain.HistoryKey
}

// FindAfter stores a message after the round of an earlier one, or finds it where it was stored before.
// earlier reads the earlier one. The first message continues the session; another one forks it, as
// clients expect for an edited message.
func (r *Round) FindAfter(ctx context.Context, earlier func(context.Context) (Continuation, error)) error {
	f := &continuationFinder{finder: r.finder()}
	return f.find(ctx, notDirectly, func(ctx context.Context) (_ *Found, err error) {
		if f.Continuation, err = earlier(ctx); err != nil {
			return nil, err
		}
		return f.findOnce(ctx)
	})
}

// notDirectly has every message looked up.
func notDirectly(context.Context) (*Found, error) { return nil, nil }

func (f *continuationFinder) findOnce(ctx context.Context) (*Found, error) {
	f.key = domain.HistoryKey{Hash: Hash(f.Protocol, f.Message.ID), Request: f.Metadata}
	followed, err := f.Histories.KnownHistories(ctx, f.Caller.Workspace, [2]string{f.key.Hash, ""})
	if err != nil {
		return nil, err
	}
	if len(followed) > 0 {
		f.key.Number = followed[0].Number + 1
	}
	others := false
	for _, h := range followed {
		s, m, err := f.StoredMessage(ctx, h.SessionID, h.MessageID)
		if err != nil {
			return nil, err
		}
		if m != nil && sameFormat(m.Tools, f.Tools) && UserText(m.Rich) == TextOf(f.Pieces) &&
			sameAttachments(m.Rich, Attachments(f.Pieces)) {
			return foundAgain(s, m), nil
		}
		others = others || m != nil
	}
	if others {
		return f.fork(ctx)
	}
	shown := func(a *domain.Approval) bool { return f.Message.RoundID == "" || a.RoundID == f.Message.RoundID }
	return f.sendOrAnswer(ctx, f.Continuation.Session.ID, f.Pieces, f.key, shown)
}

// fork creates a session whose record begins with that of the other one, up to the end of the round.
func (f *continuationFinder) fork(ctx context.Context) (*Found, error) {
	from := f.Continuation.Session.ID
	end, err := f.endOfRound(ctx)
	if err != nil {
		return nil, err
	}
	id := f.NewID(domain.PrefixSession)
	f.listen(id)
	message, err := f.message(ctx, f.Pieces, f.key)
	if err != nil {
		return nil, err
	}
	receipt, err := f.Commands.ForkSession(ctx, f.Caller.Workspace, from, domain.NewFork{
		ID: id, MessageID: end, ProviderID: f.Provider, Message: &message, By: f.Caller.Author(),
	})
	if err != nil {
		return nil, err
	}
	at := foundNew(receipt)
	at.NewSession, at.DepartedFrom = reasonForked, from
	return at, nil
}

// endOfRound returns the id of the last message of the earlier round.
func (f *continuationFinder) endOfRound(ctx context.Context) (string, error) {
	m := f.Message
	after, err := f.Record.Messages(ctx, f.Caller.Workspace, f.Continuation.Session.ID, m.Seq, maxRound)
	if err != nil {
		return "", err
	}
	end := m.ID
	for _, next := range after {
		if next.Seq == 0 || next.Sender == domain.SenderUser && next.RoundID != m.RoundID {
			break
		}
		end = next.ID
	}
	return end, nil
}
