package mcp

import (
	"context"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Config is where the server is: URL for streamable HTTP, or Command for a process.
type Config struct {
	URL     string
	Headers map[string]string // sent with each request; they hold secrets
	Command string
	Args    []string
	Env     map[string]string // all that the process gets, beside PATH and HOME
}

// Options is what a connection works with.
type Options struct {
	// Client is the only way out over HTTP.
	Client *http.Client
	// AllowStdio: the operator allows processes (FERMATA_ALLOW_STDIO).
	AllowStdio bool
	// Version is ours, as the server is told.
	Version string
	// Tokens gives the bearer token of a person's sign-in; nil: there is none.
	Tokens TokenSource
	// Questions and Tasks: whoever calls can put a server's question to a person, and follow
	// a task. Servers are told, so that they do without where it is not so.
	Questions, Tasks bool
	// AsBefore: the server is known to speak a revision before 2026-07-28, and is greeted as
	// one. Learned, if set, is called with what it turned out to speak.
	AsBefore bool
	Learned  func(before bool)
	// Changed, if set, is called when the server says that its list of commands changed.
	Changed func()
	// Failed, if set, is told what a person is not: causes, and what a program wrote to its
	// errors.
	Failed func(message string, cause error)
}

// TokenSource gives the token that a request carries. An error that is no OutsideError means
// that somebody has to sign in again. Rejected says that the server did not take that
// token, or, with a scope, that it allows too little.
type TokenSource interface {
	Token(ctx context.Context) (string, error)
	Rejected(ctx context.Context, token, scope string)
}

// The bounds of what a server may send.
const (
	DefaultTimeout   = 15 * time.Second
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

	// probeTime is how long a server may take to say that it does not know server/discover.
	probeTime = 5 * time.Second
	// maxListAge is for how long a list is believed that names no time, in a connection
	// that hears of no changes.
	maxListAge = 5 * time.Minute
)

// check refuses what cannot be connected to.
func (c Config) check(o Options) error {
	switch {
	case (c.URL == "") == (c.Command == ""):
		return notSent("The connector names neither an address nor a program.", nil)
	case c.Command != "" && !o.AllowStdio:
		return notSent("Programs are not allowed on this server (FERMATA_ALLOW_STDIO=true allows them).", nil)
	case c.URL != "" && o.Client == nil:
		return notSent("There is no way out.", nil)
	}
	return nil
}

func notSent(message string, cause error) *domain.OutsideError {
	return &domain.OutsideError{Fault: domain.FaultNotSent, Message: message, Cause: cause}
}

func doubt(message string, cause error) *domain.OutsideError {
	return &domain.OutsideError{Fault: domain.FaultDoubt, Message: message, Temporary: true, Cause: cause}
}

func refused(message string, cause error) *domain.OutsideError {
	return &domain.OutsideError{Fault: domain.FaultRefused, Message: message, Cause: cause}
}
