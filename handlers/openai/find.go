package openai

import (
	"context"
	"slices"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
	"github.com/fermata-dev/fermata/internal/traces"
)

// place is where a request belongs in the record.
type place struct {
	session string
	message *domain.Message // the user's, as it is stored
	after   int64           // the number in the log behind which its round is told
	again   bool            // the request was made before
	fresh   bool            // its message was stored by this request, which listened before
	begun   string          // why a new session was begun, if it was
	from    string          // whose record the client's history departed from
}

// Why a session was begun.
const (
	begunNew      = "new"
	begunDeparted = "history_departed" // from the record of another session
	begunUnknown  = "history_unknown"  // what was said before is in no record here
)

// find says where a request belongs: to the round that it started already, to a session that
// goes on, or to a new one. It stores the message unless it was stored before.
func (a *asking) find(ctx context.Context) (*place, error) {
	if err := a.scope.check(); err != nil {
		return nil, err
	}
	at, err := a.atOnce(ctx)
	if at != nil || err != nil {
		return at, err
	}
	err = standing.GiveWay(ctx, func() (err error) {
		at, err = a.findOnce(ctx)
		return err
	})
	return a.found(ctx, at, err)
}

// atOnce brings a message that stands alone to the session that the client names. Whether it
// was brought before need not be looked up: then it is in conflict with itself, and found. nil:
// it has to be looked up, whatever was in the way, or because its files would be stored twice.
func (a *asking) atOnce(ctx context.Context) (*place, error) {
	if !a.scope.ours || len(a.talk.before) > 0 || len(standing.FilesOf(a.talk.pieces)) > 0 {
		return nil, nil
	}
	session := a.scope.name
	if !a.scope.isID() {
		var err error
		if session, err = a.Names.Session(ctx, a.Record, a.who.Workspace, session); err != nil {
			return nil, notThere(err)
		}
	}
	at, err := a.send(ctx, session, &domain.HistoryKey{Hash: a.talk.whole, Request: a.about})
	if err != nil {
		a.Names.Refused(a.who.Workspace, a.scope.name, err)
		return nil, ctx.Err() //nolint:wrapcheck // what is wrong is told when it was looked up
	}
	return at, nil
}

func (a *asking) findOnce(ctx context.Context) (*place, error) {
	hashes := [2]string{a.talk.whole, a.talk.known}
	found, err := a.Histories.KnownHistories(ctx, a.who.Workspace, hashes)
	if err != nil {
		return nil, err
	}
	whole, known := split(found, hashes[0])
	if at, err := a.again(ctx, ofThisDoor(whole, a)); at != nil || err != nil {
		return at, err
	}
	key := &domain.HistoryKey{Hash: a.talk.whole, Request: a.about}
	if len(whole) > 0 {
		key.Number = whole[0].Number + 1
	}
	for _, h := range known {
		if fits, err := a.goesOn(ctx, h); err != nil {
			return nil, err
		} else if fits {
			return a.send(ctx, h.SessionID, key)
		}
	}
	if len(known) > 0 {
		return a.begin(ctx, key, "", begunDeparted, known[0].SessionID)
	}
	if a.scope.name != "" {
		return a.inScope(ctx, key)
	}
	return a.begin(ctx, key, "", a.whyNew(), "")
}

// split parts what was found for the whole history from what was found for the one before
// the last message.
func split(found []domain.KnownHistory, whole string) (same, before []domain.KnownHistory) {
	for _, h := range found {
		if h.Hash == whole {
			same = append(same, h)
		} else {
			before = append(before, h)
		}
	}
	return same, before
}

// ofThisDoor are those of a request that may have been made before. Where nothing but the words
// of a first message says that it was, the door says it too: no client repeats a request at another.
func ofThisDoor(same []domain.KnownHistory, a *asking) []domain.KnownHistory {
	if len(a.talk.before) > 0 || a.scope.name != "" {
		return same
	}
	return slices.DeleteFunc(slices.Clone(same), func(h domain.KnownHistory) bool { return (h.Request == "") != (a.about == "") })
}

func (a *asking) whyNew() string {
	if len(a.talk.before) > 0 {
		return begunUnknown
	}
	return begunNew
}

// repeatWithin is how long after its answer a message counts as sent again that has nothing
// before it: people begin with the same words more than once.
const repeatWithin = 2 * time.Minute

// again finds the round that the same request has started. A message with others before it
// is the same whenever it comes; one that begins a conversation, only for a while.
func (a *asking) again(ctx context.Context, same []domain.KnownHistory) (*place, error) {
	if len(same) == 0 {
		return nil, nil
	}
	h := same[0]
	session, message, err := a.stored(ctx, h)
	if message == nil || err != nil {
		return nil, err
	}
	if len(a.talk.before) == 0 {
		if text := standing.Said(message.Rich); text != standing.TextOf(a.talk.words(true)) && text != a.talk.last {
			return nil, nil // with other instructions: another program
		}
		quiet := session.LastEventTime.Add(repeatWithin).Before(a.Clock())
		if quiet && session.Status() == domain.StatusIdle && (a.scope.name == "" || a.scope.ours) {
			return nil, nil
		}
	}
	a.listen(h.SessionID)
	after := message.Seq - 1
	if message.Seq == 0 {
		after = session.LastSeq // it waits its turn, or took it since
	}
	return &place{session: h.SessionID, message: message, after: after, again: true}, nil
}

// stored reads a session, then one of its messages; nil when the message was withdrawn.
func (a *asking) stored(ctx context.Context, h domain.KnownHistory) (*domain.Session, *domain.Message, error) {
	session, err := a.Record.Session(ctx, a.who.Workspace, h.SessionID)
	if err != nil {
		return nil, nil, notThere(err)
	}
	message, err := a.Record.Message(ctx, a.who.Workspace, h.SessionID, h.MessageID)
	if err != nil {
		return nil, nil, notThere(err)
	}
	return session, message, nil
}

// notThere takes what was deleted meanwhile for not there.
func notThere(err error) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil
	}
	return err
}

// send brings the message to a session that is there.
func (a *asking) send(ctx context.Context, session string, key *domain.HistoryKey) (*place, error) {
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
	receipt, err := a.Door.SendMessage(ctx, a.who.Workspace, session, message)
	if err != nil {
		return nil, err
	}
	return &place{session: session, message: receipt.Message, after: receipt.Seq, fresh: true}, nil
}

func (a *asking) newMessage(ctx context.Context, key *domain.HistoryKey, first bool) (domain.NewMessage, error) {
	rich, err := a.files().Rich(ctx, a.talk.words(first))
	return domain.NewMessage{
		Trace: traces.From(ctx), Rich: rich, By: a.who.Author(), Payer: a.payer, Tools: a.tools, History: key,
	}, err
}

// begin makes a session, with the message as its first.
func (a *asking) begin(ctx context.Context, key *domain.HistoryKey, externalID, why, from string) (*place, error) {
	id := a.NewID(domain.PrefixSession)
	a.listen(id)
	earlier, taint, err := a.earlier(ctx, from)
	if err != nil {
		return nil, err
	}
	message, err := a.newMessage(ctx, key, true)
	if err != nil {
		return nil, err
	}
	receipt, err := a.Door.CreateSession(ctx, a.who.Workspace, domain.NewSession{
		ID: id, Type: domain.Chat, ProviderID: a.provider, ExternalID: externalID, Message: &message, By: a.who.Name,
		Earlier: earlier, Taint: taint,
	})
	if err != nil {
		return nil, err
	}
	if !receipt.Created {
		return a.inSession(ctx, receipt.Session, key)
	}
	return &place{session: id, message: receipt.Message, after: receipt.Seq, begun: why, from: from, fresh: true}, nil
}

// switchProvider has a session go on with the provider that the model names.
func (a *asking) switchProvider(ctx context.Context, session string) error {
	s, err := a.Record.Session(ctx, a.who.Workspace, session)
	if err != nil || s.ProviderID == a.provider {
		return err
	}
	_, err = a.Door.UpdateSession(ctx, a.who.Workspace, session, domain.SessionPatch{ProviderID: &a.provider})
	return err
}

// inScope goes by the name of a conversation under which nothing like this was said.
func (a *asking) inScope(ctx context.Context, key *domain.HistoryKey) (*place, error) {
	if !a.scope.isID() {
		return a.begin(ctx, key, a.scope.name, a.whyNew(), "")
	}
	session, err := a.Record.Session(ctx, a.who.Workspace, a.scope.name)
	if err != nil {
		return nil, err
	}
	return a.inSession(ctx, session, key)
}

// inSession goes on with the session that the client names, if what the client holds is in
// its record.
func (a *asking) inSession(ctx context.Context, session *domain.Session, key *domain.HistoryKey) (*place, error) {
	fits, err := a.recorded(ctx, session)
	switch {
	case err != nil:
		return nil, err
	case fits:
		return a.send(ctx, session.ID, key)
	}
	return a.begin(ctx, key, "", begunDeparted, session.ID)
}
