package rounds

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Sessions is the part of the one door that messages come through.
type Sessions interface {
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
}

// Named reads what is kept, and finds sessions by names that are not ours.
type NamedRecord interface {
	Record
	SessionsByName
}

// Histories finds messages by the hash of what brought them.
type Histories interface {
	KnownHistories(ctx context.Context, ws string, hashes [2]string) ([]domain.KnownHistory, error)
}

// Finder finds the messages of a protocol whose clients name them: a message is known by its id
// in its talk, and stored once.
type Finder struct {
	Protocol  string
	Commands  Sessions
	Record    NamedRecord
	Histories Histories
	Names     *SessionNames
	Uploader  *Uploader // of the files that messages bring
	Workspace string
	By        domain.Author
	CreatedBy string // of sessions
	// Listen is told of a session before a message goes into it.
	OnSession func(session string)
}

// Sent is a message as a client sends it.
type ClientMessage struct {
	Chat, ID string
	Pieces   []Piece
	Tools    *domain.ClientTools
	// Instructions are the client's own, which stand before what the person says; "": none.
	Instructions string
	// Known: it must have been brought before.
	MustExist bool
}

// Found is where a message stands; Again says that it had been brought before.
type Found struct {
	Session, Message string
	Repeated         bool
	// Fresh is how it stood when it was stored in a session that was told to Listen before; nil
	// where the record has to be asked.
	Stored *Progress
	// Seq is the number of the event of that.
	Seq int64
	// Brought, where a client brought results of its tools, is what its round is told from.
	Results *ResultsPosition
}

// Brought are results in the record.
type ResultsPosition struct {
	RoundID string
	After   int64 // the number behind which what follows them is told
}

// Find stores a message, or finds it where it was brought before.
func (f *Finder) Find(ctx context.Context, m ClientMessage) (found Found, err error) {
	if at, err := f.sendToKnownSession(ctx, m); at != nil || err != nil {
		return *cmp.Or(at, &Found{}), err
	}
	err = RetryOnConflict(ctx, func() error {
		found, err = f.findOrSend(ctx, m)
		return err
	})
	if found.Repeated {
		f.Uploader.Discard(context.WithoutCancel(ctx))
	}
	return found, err
}

// atOnce brings the message to a session that is there. Whether it was brought before need not
// be looked up: then it is in conflict with itself, and found. nil: it has to be looked up,
// whatever was in the way.
func (f *Finder) sendToKnownSession(ctx context.Context, m ClientMessage) (*Found, error) {
	if m.MustExist || len(Attachments(m.Pieces)) > 0 { // what is there would be stored a second time
		return nil, nil
	}
	session, err := f.sessionID(ctx, m.Chat)
	if err != nil {
		return nil, ctx.Err() //nolint:wrapcheck // the caller has gone
	}
	f.OnSession(session)
	message, err := f.message(ctx, m, Hash(f.Protocol, m.Chat, m.ID))
	if err != nil {
		return nil, err
	}
	receipt, err := f.Commands.SendMessage(ctx, f.Workspace, session, message)
	if err != nil {
		f.Names.ForgetMissing(f.Workspace, m.Chat, err)
		return nil, ctx.Err() //nolint:wrapcheck // what is wrong is told when it was looked up
	}
	found := &Found{Session: session, Message: receipt.Message.ID, Seq: receipt.Seq}
	if receipt.Session.QueuedAt == nil { // its place in the queue is known to who looks
		found.Stored = &Progress{Session: receipt.Session, Message: receipt.Message, State: Working}
	}
	return found, nil
}

func (f *Finder) message(ctx context.Context, m ClientMessage, hash string) (domain.NewMessage, error) {
	pieces := m.Pieces
	if m.Instructions != "" {
		pieces = append([]Piece{{Text: domain.ClientInstructions(m.Instructions)}}, pieces...)
	}
	rich, err := f.Uploader.Content(ctx, pieces)
	return domain.NewMessage{Rich: rich, By: f.By, Tools: m.Tools, History: &domain.HistoryKey{Hash: hash}}, err
}

func (f *Finder) findOrSend(ctx context.Context, m ClientMessage) (Found, error) {
	hash := Hash(f.Protocol, m.Chat, m.ID)
	known, err := f.Histories.KnownHistories(ctx, f.Workspace, [2]string{hash, hash})
	if err != nil {
		return Found{}, err
	}
	if len(known) > 0 {
		found := Found{Session: known[0].SessionID, Message: known[0].MessageID, Repeated: true}
		stored, err := f.Record.Message(ctx, f.Workspace, found.Session, found.Message)
		if err != nil {
			return Found{}, err
		}
		said, sent := UserText(stored.Rich), TextOf(m.Pieces)
		if said != sent && domain.OwnWords(said) != sent || !SameAttachments(stored.Rich, Attachments(m.Pieces)) {
			return Found{}, domain.Invalid("/messages", "changed", "A message that was sent is not changed. Send another one, under another id.")
		}
		return found, nil
	}
	if m.MustExist {
		return Found{}, domain.Errorf(domain.CodeNotFound, "There is no such message that could be gone on from.")
	}
	return f.send(ctx, m, hash)
}

// send brings the message to the one door.
func (f *Finder) send(ctx context.Context, m ClientMessage, hash string) (Found, error) {
	session, err := f.Session(ctx, m.Chat)
	if err != nil {
		return Found{}, err
	}
	message, err := f.message(ctx, m, hash)
	if err != nil {
		return Found{}, err
	}
	var receipt *domain.Receipt
	if session == nil {
		receipt, err = f.Commands.CreateSession(ctx, f.Workspace, domain.NewSession{
			Type: domain.Chat, ExternalID: m.Chat, Message: &message, By: f.CreatedBy,
		})
		if err == nil && !receipt.Created {
			receipt, err = f.Commands.SendMessage(ctx, f.Workspace, receipt.Session.ID, message)
		}
	} else {
		receipt, err = f.Commands.SendMessage(ctx, f.Workspace, session.ID, message)
	}
	if err != nil {
		return Found{}, err
	}
	return Found{Session: receipt.Session.ID, Message: receipt.Message.ID}, nil
}

// isSession says whether a talk is named by the id of its session.
func isSessionID(chat string) bool {
	id, ok := strings.CutPrefix(chat, domain.PrefixSession+"_")
	return ok && len(id) == 32
}

// called is the id of the session that a talk names, which may be gone.
func (f *Finder) sessionID(ctx context.Context, chat string) (string, error) {
	if isSessionID(chat) {
		return chat, nil
	}
	return f.Names.Session(ctx, f.Record, f.Workspace, chat)
}

// Session is the one that a talk names: by its id, or by a name of the client's own; nil if
// there is none yet.
func (f *Finder) Session(ctx context.Context, chat string) (*domain.Session, error) {
	if isSessionID(chat) {
		return f.Record.Session(ctx, f.Workspace, chat)
	}
	s, err := f.Record.SessionByExternalID(ctx, f.Workspace, chat)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return nil, nil //nolint:nilnil // there is none yet
	}
	return s, err
}

// Answerable says whether an answer to an approval can count: it is open in what is asked here,
// or settled, and its time is not over.
func CheckAnswerable(a *domain.Approval, open []*domain.Approval, now time.Time) error {
	listed := false
	for _, o := range open {
		listed = listed || o.ID == a.ID
	}
	switch late := a.ExpiresAt != nil && now.After(*a.ExpiresAt); {
	case listed && late, a.Status == domain.ApprovalStatusExpired:
		return domain.Errorf(domain.CodeApprovalExpired, "The time for an answer is over. Nothing was changed.")
	case !listed && a.Status == domain.ApprovalStatusOpen:
		return domain.NotFound("approval")
	}
	return nil
}
