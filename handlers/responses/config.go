package responses

import (
	"context"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/rounds"
)

// Config are the dependencies of the endpoints; all of them are required.
type Config struct {
	openai.Config

	Requests requests
	Endings  endings
}

// requests finds what is stored of requests.
type requests interface {
	// RequestOf returns the metadata of the request that brought a message, in JSON.
	RequestOf(ctx context.Context, ws, session, message string) (string, error)
	// SessionOf returns the session of a message; "" if there is no such message.
	SessionOf(ctx context.Context, ws, message string) (string, error)
}

// endings ends, withdraws and deletes.
type endings interface {
	InterruptSession(ctx context.Context, ws, session string, by domain.Author) (*domain.Receipt, error)
	WithdrawMessage(ctx context.Context, ws, session, message string) (*domain.Receipt, error)
	DeleteSession(ctx context.Context, ws, session string) error
}

// round returns a round whose responses end at calls of the client's tools: their results begin another
// response.
func (c *Config) round(who *auth.Identity) *rounds.Round {
	x := c.Round(who)
	x.StopAtCalls = true
	return x
}
