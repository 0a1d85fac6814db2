package mcp

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
)

// Config locates the server: URL for streamable HTTP, or Command for a process.
type Config struct {
	URL     string
	Headers map[string]string // sent with each request; may contain secrets
	Command string
	Args    []string
	Env     map[string]string // the process's environment, besides PATH and HOME
}

// Options configures a connection.
type Options struct {
	// Client makes all HTTP requests.
	Client *http.Client
	// AllowStdio: the operator allows programs (FERMATA_ALLOW_STDIO).
	AllowStdio bool
	// Version is our version, as sent to the server.
	Version string
	// Tokens provides the bearer token of a sign-in; nil: none.
	Tokens TokenSource
	// Questions and Tasks: the caller supports questions to people and tasks. They are announced to
	// servers, which can otherwise do without.
	Questions, Tasks bool
	// AsBefore: the server is known to support only revisions before 2026-07-28, so connecting
	// starts with the older handshake. Learned, if set, is called with the result of the handshake.
	AsBefore bool
	Learned  func(before bool)
	// Changed, if set, is called when the server announces a changed list of commands.
	Changed func()
	// Failed, if set, receives details for the operator: causes, and the program's standard error.
	Failed func(message string, cause error)
}

// TokenSource provides the token of a request. An error other than outside.Error means that a new
// sign-in is needed. Rejected reports that the server did not accept the token or, with a scope,
// that the token lacks it.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
	Rejected(ctx context.Context, token, scope string)
}

// Limits for what a server may send.
const (
	MinTimeout       = time.Second
	MaxTimeout       = 5 * time.Minute
	MaxMessageBytes  = 8 << 20
	MaxResultBytes   = 256 << 10
	MaxTools         = 1000
	MaxPages         = 100
	MaxListBytes     = 16 << 20
	MaxNameBytes     = 128
	MaxTitleBytes    = 256
	MaxTextBytes     = 8 << 10
	MaxSchemaBytes   = 64 << 10
	MaxQuestionBytes = 64 << 10

	// probeTime bounds the wait for a server to reject server/discover.
	probeTime = 5 * time.Second
	// maxListAge is the TTL of a list without one of its own, on a connection without change
	// notifications.
	maxListAge = 5 * time.Minute
)

// check rejects an unusable config.
func (c Config) check(o Options) error {
	switch {
	case (c.URL == "") == (c.Command == ""):
		return notSent("The connector has neither a URL nor a command.", nil)
	case c.Command != "" && !o.AllowStdio:
		return notSent("Programs are not allowed on this server (FERMATA_ALLOW_STDIO=true allows them).", nil)
	case c.URL != "" && o.Client == nil:
		return notSent("No HTTP client is configured.", nil)
	}
	return nil
}

func notSent(message string, cause error) *outside.Error {
	return &outside.Error{Fault: outside.FaultNotSent, Message: message, Cause: cause}
}

func unknownOutcome(message string, cause error) *outside.Error {
	return &outside.Error{Fault: outside.FaultUnknown, Message: message, Temporary: true, Cause: cause}
}

func refused(message string, cause error) *outside.Error {
	return &outside.Error{Fault: outside.FaultRefused, Message: message, Cause: cause}
}
