package sessions

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// Sessions is the part of the one door that is about a session as a whole.
type Sessions interface {
	// CreateSession makes a session. With a known ExternalID it makes none and gives
	// that session back, with Receipt.Created false.
	CreateSession(ctx context.Context, ws string, in domain.NewSession) (*domain.Receipt, error)
	UpdateSession(ctx context.Context, ws, session string, patch domain.SessionPatch) (*domain.Receipt, error)
	DeleteSession(ctx context.Context, ws, session string) error
	ActivateSession(ctx context.Context, ws, session string) (*domain.Receipt, error)
}

// Steering is the part of the door by which a person steers a session. by is who asks.
type Steering interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	StopSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	ResumeSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	ReleaseSlot(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	LeaveQueue(ctx context.Context, ws, session string) (*domain.Receipt, error)
}

// Again retries the last round, chooses one of its answers, and continues a chat from an earlier message.
type Again interface {
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	ChooseAnswer(ctx context.Context, ws, session, message string, by domain.Author) (*domain.Receipt, error)
	// ForkSession makes a chat that begins with the record of a session.
	ForkSession(ctx context.Context, ws, session string, in domain.NewFork) (*domain.Receipt, error)
}

// Messages is the part of the door that takes messages.
type Messages interface {
	SendMessage(ctx context.Context, ws, session string, in domain.NewMessage) (*domain.Receipt, error)
	EditMessage(ctx context.Context, ws, session, message string, rich domain.RichContent, by domain.Author) (*domain.Receipt, error)
	WithdrawMessage(ctx context.Context, ws, session, message string) (*domain.Receipt, error)
}

// Answers is the part of the door that takes a person's answers.
type Answers interface {
	ResumeValidation(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	ResumeResponse(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	ConfirmCompletion(ctx context.Context, ws, session string, d domain.Decision) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// SessionReader reads sessions and their messages. An unknown id, or one of another
// workspace, is a domain not_found error; a cursor that is none is a domain invalid
// error.
type SessionReader interface {
	Session(ctx context.Context, ws, id string) (*domain.Session, error)
	Sessions(ctx context.Context, ws string, filter domain.SessionFilter) ([]*domain.Session, string, error)
	// MessagePage lists the messages in their order, queued ones last; or, latest first, the
	// other way round.
	MessagePage(ctx context.Context, session *domain.Session, cursor string, limit int, latest bool) ([]*domain.Message, string, error)
	Message(ctx context.Context, ws, session, id string) (*domain.Message, error)
}

// WorkspaceReader reads what belongs to the workspace as a whole.
type WorkspaceReader interface {
	OwnLane(ctx context.Context, ws, person string) (domain.LaneRef, error)
	Slot(ctx context.Context, lane domain.LaneRef) (*domain.SlotState, error)
	Queue(ctx context.Context, lane domain.LaneRef) ([]domain.QueueRow, error)
	Approvals(ctx context.Context, ws string, f domain.ApprovalFilter) ([]*domain.Approval, string, error)
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}

// SettingsReader reads a workspace with its settings.
type SettingsReader interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// RichText checks what a person wrote and computes the rest: the enrichments' params
// against their schemas and the workspace's data, their summaries and queries, and the
// linear text. Mistakes are domain invalid errors whose pointers begin at
// "/segments/0".
type RichText interface {
	Resolve(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)
}

// Catalogue lists the commands a workspace has.
type Catalogue interface {
	Commands(ctx context.Context, ws string) ([]domain.CommandSpec, error)
}

// Ports are the door to the sessions, in parts, and what is read of them.
type Ports struct {
	Sessions        Sessions
	Steering        Steering
	Again           Again
	Messages        Messages
	Answers         Answers
	SessionReader   SessionReader
	WorkspaceReader WorkspaceReader
	Record          Record
	RichText        RichText
	Catalogue       Catalogue
	Settings        SettingsReader
	Links           LinkPorts
}
