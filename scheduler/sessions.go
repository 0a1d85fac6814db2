package scheduler

import (
	"cmp"
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Sessions makes, changes and deletes sessions, and steers them, through the door.
type Sessions struct {
	Door      *Door
	Store     SessionStore
	Providers Providers
	// Gather, if set, fetches what another node has streamed of a session's answer, for the
	// door's Streams to give; release lets go of it.
	Gather func(ctx context.Context, s *domain.Session) (release func())
}

// SessionStore is what is read of the database before a decision about a session.
type SessionStore interface {
	Session(ctx context.Context, workspace, id string) (*domain.Session, error)
	SessionByExternalID(ctx context.Context, workspace, externalID string) (*domain.Session, error)
	Automation(ctx context.Context, workspace, id string) (*automation.Automation, error)
}

// deliver passes the door and gives the plain receipt.
func (s *Sessions) deliver(ctx context.Context, r Request) (*domain.Receipt, error) {
	o, err := s.Door.Deliver(ctx, r)
	if err != nil {
		return nil, err
	}
	return o.Receipt(), nil
}

// CreateSession makes a session; with a message, sends it at once, in the same
// transaction. A known external id gives the session that is there.
func (s *Sessions) CreateSession(ctx context.Context, workspace string, in domain.NewSession) (*domain.Receipt, error) {
	if in.ExternalID != "" {
		have, err := s.Store.SessionByExternalID(ctx, workspace, in.ExternalID)
		if err == nil && have != nil {
			return &domain.Receipt{Session: have, Seq: have.LastSeq}, nil
		}
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return nil, err
		}
	}
	if in.Type != domain.Chat {
		return nil, domain.Invalid("/type", "unsupported", "Only CHAT sessions can be made; %s sessions are made by automations.", in.Type)
	}
	if err := CheckProvider(ctx, s.Providers, workspace, in.ProviderID); err != nil {
		return nil, err
	}
	o, err := s.Door.Deliver(ctx, s.creation(workspace, in))
	if in.ExternalID != "" && domain.ErrorCode(err) == domain.CodeConflict {
		if have, err := s.Store.SessionByExternalID(ctx, workspace, in.ExternalID); err == nil && have != nil {
			return &domain.Receipt{Session: have, Seq: have.LastSeq}, nil // a concurrent request was faster
		}
	}
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt()
	receipt.Created = true
	receipt.Message = newest(o.Change)
	return receipt, nil
}

// creation is the request that makes a session.
func (s *Sessions) creation(workspace string, in domain.NewSession) creationRequest {
	now := s.Door.cfg.Clock()
	made := &domain.Session{
		ID: cmp.Or(in.ID, s.Door.cfg.NewID(domain.PrefixSession)), WorkspaceID: workspace, Type: in.Type, Name: in.Name,
		Phase: domain.Idle, ProviderID: in.ProviderID, RequireValidation: in.RequireValidation,
		ExternalID: in.ExternalID, CreatedAt: now, UpdatedAt: now, LastEventTime: now,
		Ownership: domain.Ownership{Owner: in.Owner, Visibility: in.Visibility},
	}
	earlier := make([]*domain.Message, len(in.Earlier))
	for i, e := range in.Earlier {
		earlier[i] = s.earlier(made, in, e)
	}
	made.State.Taint = in.Taint.Join(domain.TaintOf(earlier))
	if in.Message != nil {
		made.Name = cmp.Or(in.Name, ai.FirstWords(in.Message.Rich.Words()))
	}
	return creationRequest{Target: Target{Workspace: workspace, New: made}, earlier: earlier, message: in.Message}
}

// visibilityIn is the visibility of a session that is created in a workspace. One without an owner is the workspace's:
// private, no one would see it.
func visibilityIn(settings *domain.Settings, made *domain.Session) domain.Visibility {
	if made.Owner == "" {
		return domain.VisibleWorkspace
	}
	return cmp.Or(made.Visibility, settings.ChatsVisible)
}

// creationRequest makes a session.
type creationRequest struct {
	Target
	earlier []*domain.Message // what was said before
	message *domain.NewMessage
}

func (r creationRequest) event(_ *domain.View, m moment) (domain.Event, error) {
	if r.message == nil {
		return nil, nil
	}
	return m.userMessage(r.New, *r.message), nil
}

func (r creationRequest) also(v *domain.View, _ moment, e domain.Event, change *domain.Change) error {
	making := &domain.Change{WorkspaceID: r.Workspace, At: change.At}
	made := change.Session(r.New.ID)
	made.Visibility = visibilityIn(&v.Workspace.Settings, made)
	making.Emit(domain.LogEvent{SessionID: r.New.ID, Type: domain.LogSessionCreated, Session: made})
	for _, m := range r.earlier {
		stored := *m // this may be decided more than once
		change.Messages = append(change.Messages, &stored)
		making.Emit(domain.LogEvent{SessionID: r.New.ID, Type: domain.LogMessageCreated, Message: &stored})
	}
	insertCreationEvents(change, r.New.ID, making.Events)
	if r.message != nil {
		noteHistory(change, r.New.ID, r.message.History, sentIn(e))
	}
	return nil
}

// earlier makes the message of what was said before the session was made.
func (s *Sessions) earlier(made *domain.Session, in domain.NewSession, e domain.EarlierMessage) *domain.Message {
	m := &domain.Message{
		ID: s.Door.cfg.NewID(domain.PrefixMessage), WorkspaceID: made.WorkspaceID, SessionID: made.ID,
		Timestamp: made.CreatedAt, Sender: e.Sender, Status: domain.MessageStored,
	}
	if e.Sender == domain.SenderAI {
		m.AI = &domain.AIMessage{PreText: e.Text, From: e.From}
		m.Raw = &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: e.Text, StopReason: "stop"}
		return m
	}
	if m.Rich = e.Rich; m.Rich == nil {
		m.Rich = &domain.RichContent{LinearText: e.Text, Segments: []domain.Segment{{Type: "text", Text: e.Text}}}
	}
	m.SenderID = in.By
	if in.Message != nil {
		m.SetBy(in.Message.By)
	}
	return m
}

// CheckProvider refuses a provider that is not there, before anything is stored.
func CheckProvider(ctx context.Context, providers Providers, workspace, id string) error {
	if id == "" {
		return nil
	}
	_, err := providers.Provider(ctx, workspace, id)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		return domain.Invalid("/provider_id", "unknown_provider", "There is no such provider in this workspace.")
	}
	return err
}

// newest is the user message that a change brought.
func newest(change *domain.Change) *domain.Message {
	for _, m := range change.Messages {
		if m.Sender == domain.SenderUser {
			return m
		}
	}
	return nil
}

// UpdateSession merges a patch into a session, in the transaction that the door opens.
func (s *Sessions) UpdateSession(ctx context.Context, workspace, session string, patch domain.SessionPatch) (*domain.Receipt, error) {
	if patch.ProviderID != nil {
		if err := CheckProvider(ctx, s.Providers, workspace, *patch.ProviderID); err != nil {
			return nil, err
		}
	}
	return s.deliver(ctx, patchRequest{Target{Workspace: workspace, Session: session}, patch})
}

// patchRequest changes the fields of a session that a person sets.
type patchRequest struct {
	Target
	patch domain.SessionPatch
}

func (patchRequest) event(*domain.View, moment) (domain.Event, error) { return nil, nil }

func (r patchRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	s := change.Session(v.Session.ID)
	r.patch.Apply(s)
	s.UpdatedAt = change.At
	change.Emit(domain.LogEvent{SessionID: s.ID, Type: domain.LogSessionStatus, Session: s})
	return nil
}

// DeleteSession deletes a session that is not at work; its open approvals are settled
// first, in the same transaction.
func (s *Sessions) DeleteSession(ctx context.Context, workspace, session string) error {
	if err := s.seedIsFree(ctx, workspace, session); err != nil {
		return err
	}
	_, err := s.Door.Deliver(ctx, deletionRequest{Target{Workspace: workspace, Session: session}})
	return err
}

// deletionRequest stops a session that has not ended, and deletes it. One at work is not deleted.
type deletionRequest struct{ Target }

func (deletionRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	switch {
	case v.Session.Phase.Working():
		return nil, domain.Errorf(domain.CodeSessionBusy, "The session is at work. Stop it first; nothing was deleted.")
	case v.Session.Phase == domain.Completed || v.Session.Type == domain.Seed:
		return nil, nil
	}
	return domain.StopRequested{}, nil
}

func (deletionRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	id := v.Session.ID
	for i := range change.Sessions {
		if change.Sessions[i].Session.ID == id {
			change.Sessions[i].Delete = true
		}
	}
	if len(change.Events) == 0 {
		change.Emit(domain.LogEvent{SessionID: id, Type: domain.LogSessionEnded, Session: change.Session(id)})
	}
	return nil
}

// seedIsFree refuses to delete the SEED of an automation that is there: it is a part of
// the automation, and goes with it. An automation that was deleted never comes back, so
// this may be read before the transaction.
func (s *Sessions) seedIsFree(ctx context.Context, workspace, session string) error {
	seed, err := s.Store.Session(ctx, workspace, session)
	if err != nil || seed.Type != domain.Seed {
		return err
	}
	a, err := s.Store.Automation(ctx, workspace, seed.AutomationID)
	if domain.ErrorCode(err) == domain.CodeNotFound || err == nil && a.SeedSessionID != session {
		return nil
	}
	if err != nil {
		return err
	}
	return &domain.Error{Code: domain.CodeSeedOfAutomation, Session: seed,
		Message: fmt.Sprintf("This is the first message of the automation %q, and is deleted with it. Nothing was deleted.", a.Name)}
}
