// Package providers defines how Fermata calls an AI model: the Provider interface with its request,
// answer and error classes. Each adapter is a package below this one and does not depend on
// commands or sessions.
package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// Provider calls one configured model. It is safe for concurrent use.
type Provider interface {
	// Query makes one call, without retries. An answer is complete or marked as incomplete
	// (RawAnswer.Partial), in which case its calls are only named. A stream without its terminal
	// event is a network error, and truncated arguments are never returned as calls. After
	// cancellation it returns the cause of the context.
	Query(ctx context.Context, request *Request) (*Answer, error)
	Abilities() Abilities
}

// Request is one call of the AI.
type Request struct {
	Prompt *ai.Prompt
	// MaxTokens of the answer; 0: the provider's default.
	MaxTokens int
	// Small requests the config's small_model if there is one (for summaries).
	Small bool
	// OnDelta receives the answer while it streams. Nil: the answer need not be streamed. It must
	// not block.
	OnDelta func(Delta)
	// SessionID and RoundID are for tracing only.
	SessionID string
	RoundID   string
	NewID     domain.IDSource // for call IDs generated here
}

// DeltaKind is the kind of a delta.
type DeltaKind string

const (
	DeltaText      DeltaKind = "text"
	DeltaThinking  DeltaKind = "thinking"
	DeltaArguments DeltaKind = "arguments"
)

// Delta is a part of an answer while it streams.
type Delta struct {
	Kind DeltaKind
	Text string
}

// Answer is a complete answer.
type Answer struct {
	Raw          *domain.RawAnswer
	Usage        domain.Usage
	FirstTokenAt time.Time
}

// Abilities are the properties of a configured model that prompt and loop depend on.
type Abilities struct {
	NativeCalls      bool
	Sees             bool // it accepts images
	StructuredOutput bool
	Streaming        bool
	// AlwaysStreams: answers are always streamed, so that OnDelta costs the vendor and the network
	// nothing.
	AlwaysStreams bool
	ContextWindow int // tokens; 0: unknown
	// MaxTokens is the default max_tokens, for reserving a budget.
	MaxTokens int
	// Model and SmallModel are the configured names.
	Model      string
	SmallModel string
}

// Class classifies an error by what to do next.
type Class string

const (
	ClassNetwork        Class = "network"          // unreachable, or interrupted
	ClassRateLimited    Class = "rate_limited"     // RetryAfter may be set
	ClassOverloaded     Class = "overloaded"       //
	ClassAuthentication Class = "authentication"   // wrong key
	ClassInvalidRequest Class = "invalid_request"  // unknown model, rejected parameter
	ClassContextTooLong Class = "context_too_long" // compaction may help
	ClassMaxTokens      Class = "max_tokens"       // max_tokens is too large for the model
	ClassQuota          Class = "quota"            // quota or balance exhausted; waiting does not help
	ClassRefused        Class = "refused"          // by the provider's policy
	ClassCancelled      Class = "cancelled"        // by Fermata
)

// Retryable reports whether the same call may succeed later.
func (c Class) Retryable() bool {
	return c == ClassNetwork || c == ClassRateLimited || c == ClassOverloaded
}

// Known reports whether it is one of these classes.
func (c Class) Known() bool {
	switch c {
	case ClassNetwork,
		ClassRateLimited,
		ClassOverloaded,
		ClassAuthentication,
		ClassInvalidRequest,
		ClassContextTooLong,
		ClassMaxTokens,
		ClassQuota,
		ClassRefused,
		ClassCancelled:
		return true
	}
	return false
}

// Error is a failed call. Message is safe to show: it never contains a key.
type Error struct {
	Class      Class
	Message    string
	Status     int // HTTP status; 0: no response
	RetryAfter time.Duration
	RequestID  string
	// NotCalled: the provider was known to be down, and was not called.
	NotCalled bool
	// Forbidden: this server may not call the host; no request was sent.
	Forbidden bool
	// Partial: a part of the answer was received, which may be billed.
	Partial bool
	// Text is the received part of an answer that was not streamed. Streamed parts went to OnDelta.
	Text string
	// MaxTokens is the allowed max_tokens, if the provider stated it; FixedLimit: for every prompt.
	// Over is the number of excess tokens of the request, if stated.
	MaxTokens  int
	FixedLimit bool
	Over       int
	// Said: the vendor responded with this error; nothing was generated.
	Said bool
	// Usage is what the failed call consumed, if known.
	Usage domain.Usage
	Err   error
}

func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d): %s", e.Class, e.Status, e.Message)
	}
	return fmt.Sprintf("%s: %s", e.Class, e.Message)
}

func (e *Error) Unwrap() error { return e.Err }

// Kind is a kind of provider: an entry of the registry.
type Kind struct {
	Name        string // "openai_compatible"
	DisplayName string
	// Schema is the JSON Schema of the config. Configs are validated against it, and forms are
	// generated from it.
	Schema json.RawMessage
	// Origin returns the origin of a config's requests (see egress.Origin), including defaults and
	// presets. Nil: no requests.
	Origin func(config json.RawMessage) (string, error)
	// New creates a provider from a config. secret is the API key, or ""; client enforces the
	// allowed hosts.
	New func(config json.RawMessage, secret string, client *http.Client) (Provider, error)
	// Models lists the models of the configured endpoint. Nil: not supported.
	Models func(ctx context.Context, config json.RawMessage, secret string, client *http.Client) ([]string, error)
}

// Registry holds the kinds by name.
type Registry struct{ kinds []Kind }

// NewRegistry returns a registry with these kinds, in this order.
func NewRegistry(kinds ...Kind) *Registry { return &Registry{kinds: kinds} }

// Kinds lists the kinds.
func (r *Registry) Kinds() []Kind { return r.kinds }

// Kind returns a kind by name.
func (r *Registry) Kind(name string) (Kind, bool) {
	for _, k := range r.kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
