package scheduler

import (
	"cmp"
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// ForkSession makes a chat whose record begins with that of a session, up to a message; an optional first
// message is sent in the same transaction. Nothing is copied, and nothing runs again.
func (a *Again) ForkSession(ctx context.Context, workspace, session string, in domain.NewFork) (*domain.Receipt, error) {
	if err := CheckProvider(ctx, a.Providers, workspace, in.ProviderID); err != nil {
		return nil, err
	}
	point, err := a.Store.ForkPoint(ctx, workspace, session, in.MessageID)
	if err != nil {
		return nil, err
	}
	made, err := a.fork(ctx, point, in)
	if err != nil {
		return nil, err
	}
	o, err := a.Door.Deliver(ctx, forkRequest{Target{Workspace: workspace, New: made}, point.Session.Type, in.Message})
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt()
	receipt.Created, receipt.Message = true, newest(o.Change)
	return receipt, nil
}

// forkRequest makes a fork of a session of a type.
type forkRequest struct {
	Target
	of      domain.SessionType
	message *domain.NewMessage
}

func (r forkRequest) event(_ *domain.View, m moment) (domain.Event, error) {
	if r.message == nil {
		return nil, nil
	}
	return m.userMessage(r.New, *r.message), nil
}

func (r forkRequest) also(v *domain.View, m moment, e domain.Event, change *domain.Change) error {
	making := &domain.Change{WorkspaceID: r.Workspace, At: change.At}
	making.Emit(domain.LogEvent{SessionID: r.New.ID, Type: domain.LogSessionCreated, Session: change.Session(r.New.ID)})
	card := r.card(m, &v.Workspace.Settings)
	change.Messages = append([]*domain.Message{card}, change.Messages...)
	making.Emit(domain.LogEvent{SessionID: r.New.ID, Type: domain.LogMessageCreated, Message: card})
	insertCreationEvents(change, r.New.ID, making.Events)
	if r.message != nil {
		noteHistory(change, r.New.ID, r.message.History, sentIn(e))
	}
	return nil
}

// fork is the session as it is made. What its prompt holds from outside is what that of the
// other holds: its words are the same.
func (a *Again) fork(ctx context.Context, point *branch.ForkPoint, in domain.NewFork) (*domain.Session, error) {
	of := point.Session
	switch {
	case of.Type != domain.Chat && of.Type != domain.Run:
		return nil, domain.Errorf(domain.CodeWrongSessionType, "Only a chat or a run can be continued as a chat of its own.")
	case point.Message.Seq == 0:
		return nil, domain.Invalid("/after_message_id", "not_placed", "This message waits its turn; a fork begins after one that is in its place.")
	}
	parts := point.Parts()
	if len(parts) > domain.MaxRecordParts {
		return nil, domain.Errorf(domain.CodeTooMany, "The record of this session is made of as many parts as may be: "+
			"forks of forks go %d deep. Nothing was stored.", domain.MaxRecordParts/2)
	}
	provider, err := a.providerOf(ctx, of, in.ProviderID)
	if err != nil {
		return nil, err
	}
	now := a.Door.cfg.Clock()
	made := &domain.Session{
		ID: cmp.Or(in.ID, a.Door.cfg.NewID(domain.PrefixSession)), WorkspaceID: of.WorkspaceID, Type: domain.Chat, Phase: domain.Idle,
		Name: cmp.Or(in.Name, of.Name), ProviderID: provider, RequireValidation: of.RequireValidation,
		Origin:    &domain.ForkOrigin{SessionID: of.ID, MessageID: point.Message.ID, Parts: parts},
		CreatedAt: now, UpdatedAt: now, LastEventTime: now,
		Ownership: domain.Ownership{Owner: in.By.Person, Visibility: of.Visibility},
	}
	made.State.Taint = of.State.Taint
	if of.Type == domain.Chat {
		made.Budgets = of.Budgets
	}
	return made, nil
}

// providerOf is the provider of the fork: the requested one, else the session's own if it still exists,
// else the workspace's default.
func (a *Again) providerOf(ctx context.Context, of *domain.Session, named string) (string, error) {
	if named != "" || of.ProviderID == "" {
		return named, nil
	}
	_, err := a.Providers.Provider(ctx, of.WorkspaceID, of.ProviderID)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return "", nil
	}
	return of.ProviderID, err
}

// card is the first message that is the fork's own.
func (r forkRequest) card(m moment, settings *domain.Settings) *domain.Message {
	begins := domain.Say("This chat goes on from another one.", "Cette conversation part d’une autre.")
	if r.of == domain.Run {
		begins = domain.Say("This chat goes on from a run.", "Cette conversation part d’une exécution.")
	}
	now := domain.Say(
		"Nothing of what stands above was done again, and the data is as it is now: what was read above may have changed since.",
		"Rien de ce qui précède n’a été refait, et les données sont celles de maintenant : ce qui a été lu plus haut a pu changer.")
	text := domain.Join(" ", begins, now)
	return &domain.Message{
		ID: m.newID(domain.PrefixMessage), WorkspaceID: r.New.WorkspaceID, SessionID: r.New.ID,
		Timestamp: r.New.CreatedAt, Sender: domain.SenderSystem, Status: domain.MessageStored,
		System: &domain.SystemMessage{
			Type: domain.SystemForked, Summary: text.In(settings.Language), Translations: text.Beside(settings.Language),
		},
	}
}
