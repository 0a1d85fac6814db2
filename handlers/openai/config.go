package openai

import (
	"context"
	"net/http"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/visible"
	"github.com/fermata-dev/fermata/rounds"
)

// Config are the dependencies of both protocols; all of them are required.
type Config struct {
	rounds.Config

	Providers providers
	// PublicURL is the base URL of the web app; "": that of the request.
	PublicURL string
}

// providers lists the configured providers.
type providers interface {
	Providers(ctx context.Context, ws string) ([]*outside.Provider, error)
}

// SetProvider has the round answered by the provider that a model names.
func (c *Config) SetProvider(ctx context.Context, x *rounds.Round, model string) (err error) {
	x.Provider, err = c.providerOf(ctx, x.Caller.Workspace, model)
	return err
}

// SessionHeader names a session, in requests and in responses.
const SessionHeader = "X-Fermata-Session"

const openWebUIHeader = "X-Openwebui-Chat-Id"

// ScopeOf reads the headers that name a session: ours, and those of other programs.
func (c *Config) ScopeOf(r *http.Request, workspace string) (rounds.Scope, error) {
	if name := strings.TrimSpace(r.Header.Get(SessionHeader)); name != "" {
		return rounds.Scope{Name: name, Ours: true}, nil
	}
	if name := strings.TrimSpace(r.Header.Get(openWebUIHeader)); name != "" {
		return rounds.Scope{Name: name}, nil
	}
	w, err := c.Record.Workspace(r.Context(), workspace)
	if err != nil || w.Settings.ChatSessionHeader == "" {
		return rounds.Scope{}, err
	}
	return rounds.Scope{Name: strings.TrimSpace(r.Header.Get(w.Settings.ChatSessionHeader))}, nil
}

// MaxName limits the name of a conversation, like an external id, and the user of a program, in bytes.
const MaxName = 200

// CheckScope rejects a name that no session can have.
func CheckScope(s rounds.Scope) error {
	if len(s.Name) > MaxName || !visible.IsName(s.Name) && s.Name != "" {
		return domain.Errorf(domain.CodeInvalid, "The header that names the conversation takes one line of at most %d bytes.", MaxName)
	}
	return nil
}

// StreamError converts the error of a stream that ended before its round to one for the client.
func StreamError(err error) error {
	return rounds.StreamError(err, "Send the same request again to get it.")
}
