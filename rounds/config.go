package rounds

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/stream"
)

// Door is what the door of a front end is made of, through which messages and answers come in
// and a round is told; all of it is needed.
type Config struct {
	Commands  Commands
	Record    NamedRecord
	Approvals ApprovalReader
	Histories Histories
	Names     *SessionNames
	Files     Files
	// Catalogue names the commands, whose names no tool of a client has.
	Catalogue Catalogue
	// Follow listens to what happens in a session.
	Follow func(stream.Filter) *stream.Reader
	// Still says whether who asked may still listen.
	StillAllowed func(context.Context, *auth.Identity) error
	API
	Clock clock.Clock
}

// API is what doors have in common with the server's own.
type API struct {
	// Failure says what a client may know of an error.
	Failure func(error) *api.Failure
	// Decision reads an answer to an approval of a kind.
	Decision func(answer json.RawMessage, kind domain.ApprovalKind) (domain.Decision, error)
}

// Commands is the one door of the scheduler, for messages and for answers to what is asked.
type Commands interface {
	Sessions
	RetrySession(ctx context.Context, ws, session string, ask domain.RetryRequest) (*domain.Receipt, error)
	AnswerApproval(ctx context.Context, ws, approval string, d domain.Decision) (*domain.Receipt, error)
}

// Asked reads what people are asked.
type ApprovalReader interface {
	ApprovalLister
	Approval(ctx context.Context, ws, id string) (*domain.Approval, error)
}
