package rounds

import (
	"context"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Reasons for a new session.
const (
	reasonNew      = "new"
	reasonDeparted = "history_departed" // from the record of another session
	reasonUnknown  = "history_unknown"  // the history is in no record
	reasonForked   = "forked"           // after a message that was continued before
)

// historyFinder finds or stores the last message of a history.
type historyFinder struct {
	*finder
	history *History
	key     domain.HistoryKey // of the message
}

// FindHistory stores the last message of a history, or finds it where it was stored before: in the round
// that the same request began, in a session whose record has the history, or in a new session.
func (r *Round) FindHistory(ctx context.Context, h *History) error {
	h.hash(h.Scope.seed(r.Caller))
	f := &historyFinder{finder: r.finder(), history: h, key: domain.HistoryKey{Hash: h.whole, Request: r.Metadata}}
	return f.find(ctx, f.sendToKnownSession, f.findOnce)
}

// sendToKnownSession sends a message without history to the session that the client names, as
// finder.find describes.
func (f *historyFinder) sendToKnownSession(ctx context.Context) (*Found, error) {
	h := f.history
	if !h.Scope.Ours || len(h.Before) > 0 || len(Attachments(h.Pieces)) > 0 {
		return nil, nil
	}
	return f.sendByName(ctx, h.Scope.Name, func(session string) (*Found, error) { return f.send(ctx, session) })
}

func (f *historyFinder) findOnce(ctx context.Context) (*Found, error) {
	hashes := [2]string{f.history.whole, f.history.known}
	found, err := f.Histories.KnownHistories(ctx, f.Caller.Workspace, hashes)
	if err != nil {
		return nil, err
	}
	whole, known := splitByHash(found, hashes[0])
	if at, err := f.findRepeated(ctx, f.fromThisProtocol(whole)); at != nil || err != nil {
		return at, err
	}
	if f.key.Number = 0; len(whole) > 0 {
		f.key.Number = whole[0].Number + 1
	}
	for _, h := range known {
		if fits, err := f.continuesHistory(ctx, h); err != nil {
			return nil, err
		} else if fits {
			return f.send(ctx, h.SessionID)
		}
	}
	if len(known) > 0 {
		return f.createSession(ctx, "", reasonDeparted, known[0].SessionID)
	}
	if f.history.Scope.Name != "" {
		return f.inScope(ctx)
	}
	return f.createSession(ctx, "", f.newSessionReason(), "")
}

// splitByHash separates what was found for the whole history from what was found for the history
// before the last message.
func splitByHash(found []domain.KnownHistory, whole string) (same, before []domain.KnownHistory) {
	for _, h := range found {
		if h.Hash == whole {
			same = append(same, h)
		} else {
			before = append(before, h)
		}
	}
	return same, before
}

// fromThisProtocol returns the histories of requests that this one may repeat. A first message is
// identified by its text alone, so that it must come by the same protocol: no client repeats a
// request by another one.
func (f *historyFinder) fromThisProtocol(same []domain.KnownHistory) []domain.KnownHistory {
	if len(f.history.Before) > 0 || f.history.Scope.Name != "" {
		return same
	}
	return slices.DeleteFunc(slices.Clone(same), func(h domain.KnownHistory) bool { return (h.Request == "") != (f.Metadata == "") })
}

func (f *historyFinder) newSessionReason() string {
	if len(f.history.Before) > 0 {
		return reasonUnknown
	}
	return reasonNew
}

// repeatWithin is how long after its answer a message without history counts as repeated: people
// begin with the same text more than once.
const repeatWithin = 2 * time.Minute

// findRepeated finds the round that the same request started. A message with a history is always the
// same one; a first message only for repeatWithin.
func (f *historyFinder) findRepeated(ctx context.Context, same []domain.KnownHistory) (*Found, error) {
	if len(same) == 0 {
		return nil, nil
	}
	session, message, err := f.StoredMessage(ctx, same[0].SessionID, same[0].MessageID)
	if message == nil || err != nil {
		return nil, err
	}
	if !sameFormat(message.Tools, f.Tools) {
		return nil, nil // the answer of that round cannot be read by this program
	}
	if h := f.history; len(h.Before) == 0 {
		if text := UserText(message.Rich); text != TextOf(h.firstPieces()) && text != TextOf(h.Pieces) {
			return nil, nil // other instructions: another program
		}
		quiet := session.LastEventTime.Add(repeatWithin).Before(f.Clock())
		if quiet && session.Status() == domain.StatusIdle && (h.Scope.Name == "" || h.Scope.Ours) {
			return nil, nil
		}
	}
	return foundAgain(session, message), nil
}

// send sends the message to an existing session.
func (f *historyFinder) send(ctx context.Context, session string) (*Found, error) {
	held := ""
	if len(f.history.Before) > 0 {
		held = f.history.latestAnswer()
	}
	shown := func(a *domain.Approval) bool { return len(f.history.Before) == 0 || approvalShown(held, a) }
	return f.sendOrAnswer(ctx, session, f.history.Pieces, f.key, shown)
}

// createSession creates a session with the message as its first, and takes the history over.
func (f *historyFinder) createSession(ctx context.Context, externalID, why, from string) (*Found, error) {
	earlier, taint, err := f.earlierMessages(ctx, from)
	if err != nil {
		return nil, err
	}
	in := domain.NewSession{ExternalID: externalID, Earlier: earlier, Taint: taint}
	at, existing, err := f.create(ctx, in, f.history.firstPieces(), f.key)
	switch {
	case err != nil:
		return nil, err
	case existing != nil:
		return f.inSession(ctx, existing)
	}
	at.NewSession, at.DepartedFrom = why, from
	return at, nil
}

// inScope uses the session that the client names, where its history is not known.
func (f *historyFinder) inScope(ctx context.Context) (*Found, error) {
	if name := f.history.Scope.Name; !isSessionID(name) {
		return f.createSession(ctx, name, f.newSessionReason(), "")
	}
	session, err := f.Record.Session(ctx, f.Caller.Workspace, f.history.Scope.Name)
	if err != nil {
		return nil, err
	}
	return f.inSession(ctx, session)
}

// inSession continues an existing session if its record contains the client's history.
func (f *historyFinder) inSession(ctx context.Context, session *domain.Session) (*Found, error) {
	fits, err := f.historyMatches(ctx, session)
	switch {
	case err != nil:
		return nil, err
	case fits:
		return f.send(ctx, session.ID)
	}
	return f.createSession(ctx, "", reasonDeparted, session.ID)
}
