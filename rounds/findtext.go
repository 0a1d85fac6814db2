package rounds

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// TextMessage is a message of a client that gives no ids to messages.
type TextMessage struct {
	Protocol string
	Session  string // its id; "" for a new session
	Text     string
	// Key is the client's idempotency key, which finds the message for as long as its session exists.
	// Without one, the same text is the same message while its round is in progress.
	Key string
}

// codeMismatch is the API's code for a key that was used for another request.
const codeMismatch domain.Code = "idempotency_mismatch"

// textFinder finds or stores such a message.
type textFinder struct {
	*finder
	sent TextMessage
}

// FindText stores the message that begins the round, or finds it where it was stored before.
func (r *Round) FindText(ctx context.Context, m TextMessage) error {
	f := &textFinder{r.finder(), m}
	return f.find(ctx, notDirectly, f.findOrSend)
}

func (f *textFinder) findOrSend(ctx context.Context) (*Found, error) {
	switch {
	case f.sent.Key != "":
		return f.findByKey(ctx)
	case f.sent.Session == "":
		return f.findFirst(ctx)
	}
	return f.findNext(ctx)
}

// findByKey finds or stores a message with an idempotency key.
func (f *textFinder) findByKey(ctx context.Context) (*Found, error) {
	hash := Hash(f.sent.Protocol+" key", f.Caller.Name, f.sent.Session, f.sent.Key)
	known, err := f.known(ctx, hash)
	if err != nil {
		return nil, err
	}
	if known == nil {
		return f.send(ctx, domain.HistoryKey{Hash: hash})
	}
	m, err := f.Record.Message(ctx, f.Caller.Workspace, known.SessionID, known.MessageID)
	if err != nil {
		return nil, err
	}
	if m.Rich.Words() != f.sent.Text {
		return nil, domain.Errorf(codeMismatch, "This idempotency_key was used for another message. Use a new one.")
	}
	return foundByID(known.SessionID, known.MessageID), nil
}

// findFirst creates a session, unless the same caller has one whose first message is equal and still in
// progress.
func (f *textFinder) findFirst(ctx context.Context) (*Found, error) {
	key := domain.HistoryKey{Hash: Hash(f.sent.Protocol+" first", f.Caller.Name, f.sent.Text)}
	known, err := f.known(ctx, key.Hash)
	if err != nil {
		return nil, err
	}
	if known != nil {
		key.Number = known.Number + 1
		found, err := f.unfinished(ctx, known.SessionID, known.MessageID)
		if found != nil || err != nil && domain.ErrorCode(err) != domain.CodeNotFound { // deleted meanwhile
			return found, err
		}
	}
	return f.send(ctx, key)
}

// findNext sends a message to its session, unless an equal one is in progress there, or was stored after
// the latest message was read.
func (f *textFinder) findNext(ctx context.Context) (*Found, error) {
	latest, err := f.latest(ctx)
	if err != nil {
		return nil, err
	}
	before := ""
	if latest != nil {
		before = latest.ID
		if latest.Rich.Words() == f.sent.Text {
			if found, err := f.unfinished(ctx, f.sent.Session, latest.ID); found != nil || err != nil {
				return found, err
			}
		}
	}
	hash := Hash(f.sent.Protocol+" next", f.sent.Session, before, f.sent.Text)
	known, err := f.known(ctx, hash)
	switch {
	case err != nil:
		return nil, err
	case known != nil:
		return foundByID(known.SessionID, known.MessageID), nil
	}
	return f.send(ctx, domain.HistoryKey{Hash: hash})
}

// latest returns the newest message of a person in the session, including queued ones; nil if there is
// none. Answers to questions are no such messages.
func (f *textFinder) latest(ctx context.Context) (*domain.Message, error) {
	s, err := f.Record.Session(ctx, f.Caller.Workspace, f.sent.Session)
	if err != nil {
		return nil, err
	}
	for cursor := ""; ; {
		page, next, err := f.Record.MessagePage(ctx, s, cursor, latestPage, true)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.Sender == domain.SenderUser && m.Rich != nil {
				return m, nil
			}
		}
		if cursor = next; cursor == "" {
			return nil, nil //nolint:nilnil // there is none
		}
	}
}

// latestPage is the number of messages that are read at a time to find the latest one of a person.
const latestPage = 100

// unfinished finds a message whose round is in progress; nil if it is over.
func (f *textFinder) unfinished(ctx context.Context, session, message string) (*Found, error) {
	at, err := f.recordReader().Message(ctx, session, message)
	if err != nil || at.Finished() {
		return nil, err
	}
	return foundByID(session, message), nil
}

// known returns the newest message with a hash; nil if there is none.
func (f *textFinder) known(ctx context.Context, hash string) (*domain.KnownHistory, error) {
	found, err := f.Histories.KnownHistories(ctx, f.Caller.Workspace, [2]string{hash, hash})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// send sends the message to its session, or creates one.
func (f *textFinder) send(ctx context.Context, key domain.HistoryKey) (*Found, error) {
	pieces := []Piece{{Text: f.sent.Text}}
	if f.sent.Session != "" {
		return f.sendTo(ctx, f.sent.Session, pieces, key)
	}
	found, _, err := f.create(ctx, domain.NewSession{}, pieces, key)
	return found, err
}
