package openai

import (
	"context"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/traces"
	"github.com/fermata-dev/fermata/rounds"
)

// location is where a request is stored in the record.
type location struct {
	session          string
	message          *domain.Message // of the user, as it is stored
	after            int64           // sequence number after which the events of its round begin
	repeated         bool            // the request was made before
	stored           bool            // its message was stored by this request, which subscribed before
	newSessionReason string          // "" if the session existed
	departedFrom     string          // id of the session whose record the client's history departs from
}

// Reasons for a new session.
const (
	reasonNew      = "new"
	reasonDeparted = "history_departed" // from the record of another session
	reasonUnknown  = "history_unknown"  // the history is in no record
)

// find returns the location of a request: the round that it started before, an existing session, or
// a new one. It stores the message unless it was stored before.
func (a *requestState) find(ctx context.Context) (*location, error) {
	if err := a.scope.check(); err != nil {
		return nil, err
	}
	at, err := a.sendToKnownSession(ctx)
	if at != nil || err != nil {
		return at, err
	}
	err = rounds.RetryOnConflict(ctx, func() (err error) {
		at, err = a.findOnce(ctx)
		return err
	})
	return a.found(ctx, at, err)
}

// sendToKnownSession sends a message without history to the session that the client names, without
// looking up whether it was sent before: then it conflicts with itself, and the lookup finds it. It
// returns nil if the message has to be looked up, whatever the reason, or because its attachments
// would be stored twice.
func (a *requestState) sendToKnownSession(ctx context.Context) (*location, error) {
	if !a.scope.ours || len(a.history.before) > 0 || len(rounds.Attachments(a.history.pieces)) > 0 {
		return nil, nil
	}
	session, err := a.Names.Session(ctx, a.Record, a.identity.Workspace, a.scope.name)
	if err != nil {
		return nil, ignoreNotFound(err)
	}
	at, err := a.send(ctx, session, &domain.HistoryKey{Hash: a.history.whole, Request: a.metadata})
	if err != nil {
		a.Names.ForgetMissing(a.identity.Workspace, a.scope.name, err)
		return nil, ctx.Err() //nolint:wrapcheck // the lookup reports the error
	}
	return at, nil
}

func (a *requestState) findOnce(ctx context.Context) (*location, error) {
	hashes := [2]string{a.history.whole, a.history.known}
	found, err := a.Histories.KnownHistories(ctx, a.identity.Workspace, hashes)
	if err != nil {
		return nil, err
	}
	whole, known := splitByHash(found, hashes[0])
	if at, err := a.findRepeated(ctx, fromThisProtocol(whole, a)); at != nil || err != nil {
		return at, err
	}
	key := &domain.HistoryKey{Hash: a.history.whole, Request: a.metadata}
	if len(whole) > 0 {
		key.Number = whole[0].Number + 1
	}
	for _, h := range known {
		if fits, err := a.continuesHistory(ctx, h); err != nil {
			return nil, err
		} else if fits {
			return a.send(ctx, h.SessionID, key)
		}
	}
	if len(known) > 0 {
		return a.createSession(ctx, key, "", reasonDeparted, known[0].SessionID)
	}
	if a.scope.name != "" {
		return a.inScope(ctx, key)
	}
	return a.createSession(ctx, key, "", a.newSessionReason(), "")
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
func fromThisProtocol(same []domain.KnownHistory, a *requestState) []domain.KnownHistory {
	if len(a.history.before) > 0 || a.scope.name != "" {
		return same
	}
	return slices.DeleteFunc(slices.Clone(same), func(h domain.KnownHistory) bool { return (h.Request == "") != (a.metadata == "") })
}

func (a *requestState) newSessionReason() string {
	if len(a.history.before) > 0 {
		return reasonUnknown
	}
	return reasonNew
}

// repeatWithin is how long after its answer a message without history counts as repeated: people
// begin with the same text more than once.
const repeatWithin = 2 * time.Minute

// findRepeated finds the round that the same request started. A message with a history is always the
// same one; a first message only for repeatWithin.
func (a *requestState) findRepeated(ctx context.Context, same []domain.KnownHistory) (*location, error) {
	if len(same) == 0 {
		return nil, nil
	}
	h := same[0]
	session, message, err := a.stored(ctx, h)
	if message == nil || err != nil {
		return nil, err
	}
	if len(a.history.before) == 0 {
		if text := rounds.UserText(message.Rich); text != rounds.TextOf(a.history.messagePieces(true)) && text != a.history.last {
			return nil, nil // other instructions: another program
		}
		quiet := session.LastEventTime.Add(repeatWithin).Before(a.Clock())
		if quiet && session.Status() == domain.StatusIdle && (a.scope.name == "" || a.scope.ours) {
			return nil, nil
		}
	}
	a.listen(h.SessionID)
	return placed(session, message), nil
}

// stored reads a session and one of its messages; nil if either was deleted.
func (a *requestState) stored(ctx context.Context, h domain.KnownHistory) (*domain.Session, *domain.Message, error) {
	session, err := a.Record.Session(ctx, a.identity.Workspace, h.SessionID)
	if err != nil {
		return nil, nil, ignoreNotFound(err)
	}
	message, err := a.Record.Message(ctx, a.identity.Workspace, h.SessionID, h.MessageID)
	if err != nil {
		return nil, nil, ignoreNotFound(err)
	}
	return session, message, nil
}

// ignoreNotFound returns nil for a not_found error, of something that was deleted meanwhile.
func ignoreNotFound(err error) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil
	}
	return err
}

// send sends the message to an existing session.
func (a *requestState) send(ctx context.Context, session string, key *domain.HistoryKey) (*location, error) {
	a.listen(session)
	if at, err := a.byText(ctx, session, key); at != nil || err != nil {
		return at, err
	}
	if a.provider != "" {
		if err := a.switchProvider(ctx, session); err != nil {
			return nil, err
		}
	}
	message, err := a.newMessage(ctx, key, false)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Door.SendMessage(ctx, a.identity.Workspace, session, message)
	if err != nil {
		return nil, err
	}
	return &location{session: session, message: receipt.Message, after: receipt.Seq, stored: true}, nil
}

func (a *requestState) newMessage(ctx context.Context, key *domain.HistoryKey, first bool) (domain.NewMessage, error) {
	rich, err := a.files().Content(ctx, a.history.messagePieces(first))
	return domain.NewMessage{
		Trace: traces.From(ctx), Rich: rich, By: a.identity.Author(), Payer: a.payer, Tools: a.tools, History: key,
	}, err
}

// createSession creates a session with the message as its first.
func (a *requestState) createSession(ctx context.Context, key *domain.HistoryKey, externalID, why, from string) (*location, error) {
	id := a.NewID(domain.PrefixSession)
	a.listen(id)
	earlier, taint, err := a.earlierMessages(ctx, from)
	if err != nil {
		return nil, err
	}
	message, err := a.newMessage(ctx, key, true)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Door.CreateSession(ctx, a.identity.Workspace, domain.NewSession{
		ID: id, Type: domain.Chat, ProviderID: a.provider, ExternalID: externalID, Message: &message, By: a.identity.Name,
		Earlier: earlier, Taint: taint,
	})
	if err != nil {
		return nil, err
	}
	if !receipt.Created {
		return a.inSession(ctx, receipt.Session, key)
	}
	return &location{
		session: id, message: receipt.Message, after: receipt.Seq, newSessionReason: why, departedFrom: from, stored: true,
	}, nil
}

// switchProvider sets the provider that the model names.
func (a *requestState) switchProvider(ctx context.Context, session string) error {
	s, err := a.Record.Session(ctx, a.identity.Workspace, session)
	if err != nil || s.ProviderID == a.provider {
		return err
	}
	_, err = a.Door.UpdateSession(ctx, a.identity.Workspace, session, domain.SessionPatch{ProviderID: &a.provider})
	return err
}

// inScope uses the session that the client names, where its history is not known.
func (a *requestState) inScope(ctx context.Context, key *domain.HistoryKey) (*location, error) {
	if !rounds.IsSessionID(a.scope.name) {
		return a.createSession(ctx, key, a.scope.name, a.newSessionReason(), "")
	}
	session, err := a.Record.Session(ctx, a.identity.Workspace, a.scope.name)
	if err != nil {
		return nil, err
	}
	return a.inSession(ctx, session, key)
}

// inSession continues an existing session if its record contains the client's history.
func (a *requestState) inSession(ctx context.Context, session *domain.Session, key *domain.HistoryKey) (*location, error) {
	fits, err := a.historyMatches(ctx, session)
	switch {
	case err != nil:
		return nil, err
	case fits:
		return a.send(ctx, session.ID, key)
	}
	return a.createSession(ctx, key, "", reasonDeparted, session.ID)
}
