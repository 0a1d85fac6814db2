package rounds

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/traces"
)

// Sessions sends messages to the scheduler.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
}

// NamedRecord reads the record, and finds sessions by the names of clients.
type NamedRecord interface {
	Record
	sessionsByName
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Histories finds messages by the hash of the request that brought them.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
}

// finder finds or stores the message of a request, once however often the request is repeated.
type finder struct {
	*Round
	uploader *uploader // of the attachments
}

func (r *Round) finder() *finder {
	return &finder{Round: r, uploader: &uploader{Files: r.Files, Workspace: r.Caller.Workspace, By: r.Caller.Name}}
}

// find sends the message without looking up whether it was sent before, if that is possible, and looks
// it up otherwise. direct returns nil if the message has to be looked up.
func (f *finder) find(ctx context.Context, direct, lookup func(context.Context) (*Found, error)) error {
	found, err := direct(ctx)
	if found == nil && err == nil {
		err = RetryOnConflict(ctx, func() (err error) {
			found, err = lookup(ctx)
			return err
		})
	}
	if err != nil {
		return err
	}
	if found.Repeated {
		f.uploader.Discard(context.WithoutCancel(ctx))
	}
	f.Found = *found
	return nil
}

// sendByName sends a message to the existing session of a name without looking up whether it was sent
// before: then it conflicts with itself, and the lookup finds it. It returns nil if the message has to
// be looked up, whatever the reason.
func (f *finder) sendByName(ctx context.Context, name string, send func(session string) (*Found, error)) (*Found, error) {
	session, err := f.Names.Session(ctx, f.Record, f.Caller.Workspace, name)
	if err != nil {
		return nil, ctx.Err() //nolint:wrapcheck // the caller has disconnected
	}
	found, err := send(session)
	if err != nil {
		f.Names.ForgetMissing(f.Caller.Workspace, name, err)
		return nil, ctx.Err() //nolint:wrapcheck // the lookup reports the error
	}
	return found, nil
}

// message returns the message to store.
func (f *finder) message(ctx context.Context, pieces []Piece, key domain.HistoryKey) (domain.NewMessage, error) {
	rich, err := f.uploader.Content(ctx, pieces)
	return domain.NewMessage{
		Trace: traces.From(ctx), Rich: rich, By: f.Caller.Author(), Payer: f.Payer, Tools: f.Tools, History: &key,
	}, err
}

// sendTo sends the message to an existing session.
func (f *finder) sendTo(ctx context.Context, session string, pieces []Piece, key domain.HistoryKey) (*Found, error) {
	f.listen(session)
	message, err := f.message(ctx, pieces, key)
	if err != nil {
		return nil, err
	}
	receipt, err := f.Commands.SendMessage(ctx, f.Caller.Workspace, session, message)
	if err != nil {
		return nil, err
	}
	return foundNew(receipt), nil
}

// create creates a session with the message as its first. existing is the session that has its external id
// already, in which nothing was stored; nil: it was created.
func (f *finder) create(
	ctx context.Context, in domain.NewSession, pieces []Piece, key domain.HistoryKey,
) (found *Found, existing *domain.Session, err error) {
	in.ID, in.Type, in.ProviderID, in.By = f.NewID(domain.PrefixSession), domain.Chat, f.Provider, f.Caller.Name
	in.Owner = f.Caller.Person
	f.listen(in.ID)
	message, err := f.message(ctx, pieces, key)
	if err != nil {
		return nil, nil, err
	}
	in.Message = &message
	receipt, err := f.Commands.CreateSession(ctx, f.Caller.Workspace, in)
	switch {
	case err != nil:
		return nil, nil, err
	case !receipt.Created:
		return nil, receipt.Session, nil
	}
	return foundNew(receipt), nil, nil
}

// foundNew returns where a message was stored, in a session that was listened to before.
func foundNew(receipt *domain.Receipt) *Found {
	found := &Found{
		Session: receipt.Session.ID, Message: receipt.Message.ID, Placed: receipt.Message, live: true,
		after: positionBefore(receipt.Message, receipt.Seq),
	}
	if receipt.Session.QueuedAt == nil { // the queue position has to be read
		found.Stored = &Progress{Session: receipt.Session, Message: receipt.Message, State: Working}
	}
	return found
}

// foundAgain returns where a message is that was sent before.
func foundAgain(s *domain.Session, m *domain.Message) *Found {
	return &Found{Session: s.ID, Message: m.ID, Placed: m, Repeated: true, after: positionBefore(m, s.LastSeq)}
}

// foundByID does so for a message that was not read.
func foundByID(session, message string) *Found {
	return &Found{Session: session, Message: message, Repeated: true}
}

// StoredMessage reads a session and one of its messages; nil if either was deleted.
func (r *Round) StoredMessage(ctx context.Context, session, message string) (*domain.Session, *domain.Message, error) {
	s, err := r.Record.Session(ctx, r.Caller.Workspace, session)
	if err != nil {
		return nil, nil, IgnoreNotFound(err)
	}
	m, err := r.Record.Message(ctx, r.Caller.Workspace, session, message)
	if err != nil {
		return nil, nil, IgnoreNotFound(err)
	}
	return s, m, nil
}

// IgnoreNotFound returns nil for a not_found error, of something that was deleted meanwhile.
func IgnoreNotFound(err error) error {
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil
	}
	return err
}

// ClientMessage is a message as a client sends it.
type ClientMessage struct {
	Chat, ID string
	Pieces   []Piece
	Tools    *domain.ClientTools
	// Instructions are the client's own, which precede the text of the person; "": none.
	Instructions string
	// MustExist requires that the message was sent before.
	MustExist bool
}

// Found is where a message is stored. Repeated reports that it was sent before.
type Found struct {
	Session, Message string
	Repeated         bool
	// Placed is the message as it was read or stored; nil if it was not read.
	Placed *domain.Message
	// Stored is the progress at the moment the message was stored, in a session that the round listened
	// to before; nil where the record has to be read.
	Stored *Progress
	// ResultsAfter is the sequence number after which the round continues if the client submitted results
	// of its tools; nil: it did not.
	ResultsAfter *int64
	// NewSession is the reason for a new session; DepartedFrom is the id of the session whose record the
	// client's history departs from.
	NewSession, DepartedFrom string

	after int64 // sequence number after which the events of the round begin
	live  bool  // they come live
}

// identifiedFinder finds or stores the messages of a protocol whose clients give ids to messages. A
// message is identified by its id in its chat, and is stored once.
type identifiedFinder struct {
	*finder
	sent ClientMessage
	key  domain.HistoryKey
}

// Find stores the message that begins the round, or finds it where it was stored before.
func (r *Round) Find(ctx context.Context, protocol string, m ClientMessage) error {
	r.Tools = m.Tools
	f := &identifiedFinder{finder: r.finder(), sent: m, key: domain.HistoryKey{Hash: Hash(protocol, m.Chat, m.ID)}}
	return f.find(ctx, f.sendToKnownSession, f.findOrSend)
}

// sendToKnownSession sends a message that may be new to the session of its chat.
func (f *identifiedFinder) sendToKnownSession(ctx context.Context) (*Found, error) {
	if f.sent.MustExist || len(Attachments(f.sent.Pieces)) > 0 { // a lookup avoids storing the attachments twice
		return nil, nil
	}
	return f.sendByName(ctx, f.sent.Chat, func(session string) (*Found, error) {
		return f.sendTo(ctx, session, f.pieces(), f.key)
	})
}

func (f *identifiedFinder) pieces() []Piece {
	return withInstructions(f.sent.Instructions, f.sent.Pieces)
}

func (f *identifiedFinder) findOrSend(ctx context.Context) (*Found, error) {
	m := f.sent
	known, err := f.Histories.KnownHistories(ctx, f.Caller.Workspace, [2]string{f.key.Hash, f.key.Hash})
	if err != nil {
		return nil, err
	}
	if len(known) > 0 {
		found := foundByID(known[0].SessionID, known[0].MessageID)
		stored, err := f.Record.Message(ctx, f.Caller.Workspace, found.Session, found.Message)
		if err != nil {
			return nil, err
		}
		said, sent := UserText(stored.Rich), TextOf(m.Pieces)
		if said != sent && ai.OwnWords(said) != sent || !sameAttachments(stored.Rich, Attachments(m.Pieces)) {
			return nil, domain.Invalid("/messages", "changed", "A message that was sent cannot be changed. Send another one, with another id.")
		}
		return found, nil
	}
	if m.MustExist {
		return nil, domain.Errorf(domain.CodeNotFound, "There is no such message to continue from.")
	}
	return f.send(ctx)
}

// send sends the message to its session, and creates the session if there is none.
func (f *identifiedFinder) send(ctx context.Context) (*Found, error) {
	session, err := f.Round.Session(ctx, f.sent.Chat)
	if err != nil {
		return nil, err
	}
	if session == nil {
		var found *Found
		found, session, err = f.create(ctx, domain.NewSession{ExternalID: f.sent.Chat}, f.pieces(), f.key)
		if found != nil || err != nil {
			return found, err
		}
	}
	return f.sendTo(ctx, session.ID, f.pieces(), f.key)
}

// Session returns the session that a chat is named by: its id, or the client's own name; nil if there is
// none yet.
func (r *Round) Session(ctx context.Context, chat string) (*domain.Session, error) {
	if isSessionID(chat) {
		return r.Record.Session(ctx, r.Caller.Workspace, chat)
	}
	s, err := r.Record.SessionByExternalID(ctx, r.Caller.Workspace, chat)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nil //nolint:nilnil // there is none yet
	}
	return s, err
}

// checkAnswerable returns an error unless an answer to an approval can count: it is one of the open
// approvals or settled, and has not expired.
func checkAnswerable(a *domain.Approval, open []*domain.Approval, now time.Time) error {
	listed := false
	for _, o := range open {
		listed = listed || o.ID == a.ID
	}
	switch late := a.ExpiresAt != nil && now.After(*a.ExpiresAt); {
	case listed && late, a.Status == domain.ApprovalStatusExpired:
		return domain.Errorf(domain.CodeApprovalExpired, "The approval has expired. Nothing was changed.")
	case !listed && a.Status == domain.ApprovalStatusOpen:
		return domain.NotFound("approval")
	}
	return nil
}
