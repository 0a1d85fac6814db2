package rounds

import (
	"cmp"
	"context"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
)

// Sessions sends messages to the scheduler.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
}

// NamedRecord reads the record, and finds sessions by the names of clients.
type NamedRecord interface {
	Record
	SessionsByName
}

// Histories finds messages by the hash of the request that brought them.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
}

// finder finds or stores the messages of a protocol whose clients give ids to messages. A message is
// identified by its id in its chat, and is stored once.
type finder struct {
	*Config
	protocol string
	caller   *auth.Identity
	uploader *Uploader // of the attachments
	// onSession is called with a session's id before a message is sent to it.
	onSession func(session string)
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
	// Stored is the progress at the moment the message was stored, in a session that was announced
	// to onSession before; nil where the record has to be read.
	Stored *Progress
	// Seq is the sequence number of the event that stored it.
	Seq int64
	// ResultsAfter is the sequence number after which the round continues if the client submitted results
	// of its tools; nil: it did not.
	ResultsAfter *int64
}

// Find stores a message, or finds it where it was stored before.
func (f *finder) Find(ctx context.Context, m ClientMessage) (found Found, err error) {
	if at, err := f.sendToKnownSession(ctx, m); at != nil || err != nil {
		return *cmp.Or(at, &Found{}), err
	}
	err = RetryOnConflict(ctx, func() error {
		found, err = f.findOrSend(ctx, m)
		return err
	})
	if found.Repeated {
		f.uploader.Discard(context.WithoutCancel(ctx))
	}
	return found, err
}

// sendToKnownSession sends the message to an existing session without looking up whether it was sent
// before: then it conflicts with itself, and the lookup finds it. It returns nil if the message has
// to be looked up, whatever the reason.
func (f *finder) sendToKnownSession(ctx context.Context, m ClientMessage) (*Found, error) {
	if m.MustExist || len(Attachments(m.Pieces)) > 0 { // a lookup avoids storing the attachments twice
		return nil, nil
	}
	session, err := f.Names.Session(ctx, f.Record, f.caller.Workspace, m.Chat)
	if err != nil {
		return nil, ctx.Err() //nolint:wrapcheck // the caller has disconnected
	}
	f.onSession(session)
	message, err := f.message(ctx, m, Hash(f.protocol, m.Chat, m.ID))
	if err != nil {
		return nil, err
	}
	receipt, err := f.Commands.SendMessage(ctx, f.caller.Workspace, session, message)
	if err != nil {
		f.Names.ForgetMissing(f.caller.Workspace, m.Chat, err)
		return nil, ctx.Err() //nolint:wrapcheck // the lookup reports the error
	}
	found := &Found{Session: session, Message: receipt.Message.ID, Seq: receipt.Seq}
	if receipt.Session.QueuedAt == nil { // the queue position has to be read
		found.Stored = &Progress{Session: receipt.Session, Message: receipt.Message, State: Working}
	}
	return found, nil
}

func (f *finder) message(ctx context.Context, m ClientMessage, hash string) (domain.NewMessage, error) {
	pieces := m.Pieces
	if m.Instructions != "" {
		pieces = append([]Piece{{Text: domain.ClientInstructions(m.Instructions)}}, pieces...)
	}
	rich, err := f.uploader.Content(ctx, pieces)
	return domain.NewMessage{Rich: rich, By: f.caller.Author(), Tools: m.Tools, History: &domain.HistoryKey{Hash: hash}}, err
}

func (f *finder) findOrSend(ctx context.Context, m ClientMessage) (Found, error) {
	hash := Hash(f.protocol, m.Chat, m.ID)
	known, err := f.Histories.KnownHistories(ctx, f.caller.Workspace, [2]string{hash, hash})
	if err != nil {
		return Found{}, err
	}
	if len(known) > 0 {
		found := Found{Session: known[0].SessionID, Message: known[0].MessageID, Repeated: true}
		stored, err := f.Record.Message(ctx, f.caller.Workspace, found.Session, found.Message)
		if err != nil {
			return Found{}, err
		}
		said, sent := UserText(stored.Rich), TextOf(m.Pieces)
		if said != sent && domain.OwnWords(said) != sent || !SameAttachments(stored.Rich, Attachments(m.Pieces)) {
			return Found{}, domain.Invalid("/messages", "changed", "A message that was sent cannot be changed. Send another one, with another id.")
		}
		return found, nil
	}
	if m.MustExist {
		return Found{}, domain.Errorf(domain.CodeNotFound, "There is no such message to continue from.")
	}
	return f.send(ctx, m, hash)
}

// send sends the message to its session, and creates the session if there is none.
func (f *finder) send(ctx context.Context, m ClientMessage, hash string) (Found, error) {
	session, err := f.session(ctx, m.Chat)
	if err != nil {
		return Found{}, err
	}
	message, err := f.message(ctx, m, hash)
	if err != nil {
		return Found{}, err
	}
	var receipt *domain.Receipt
	if session == nil {
		receipt, err = f.Commands.CreateSession(ctx, f.caller.Workspace, domain.NewSession{
			Type: domain.Chat, ExternalID: m.Chat, Message: &message, By: f.caller.Name,
		})
		if err == nil && !receipt.Created {
			receipt, err = f.Commands.SendMessage(ctx, f.caller.Workspace, receipt.Session.ID, message)
		}
	} else {
		receipt, err = f.Commands.SendMessage(ctx, f.caller.Workspace, session.ID, message)
	}
	if err != nil {
		return Found{}, err
	}
	return Found{Session: receipt.Session.ID, Message: receipt.Message.ID}, nil
}

// session returns the session that a chat is named by: its id, or the client's own name; nil if
// there is none yet.
func (f *finder) session(ctx context.Context, chat string) (*domain.Session, error) {
	if IsSessionID(chat) {
		return f.Record.Session(ctx, f.caller.Workspace, chat)
	}
	s, err := f.Record.SessionByExternalID(ctx, f.caller.Workspace, chat)
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
