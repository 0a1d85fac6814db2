// Package providers defines how Fermata calls an AI model: one interface, its
// request, its answer and its classes of errors. Each adapter is a package below
// this one and knows neither commands nor sessions.
package providers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Provider calls one configured model. It is safe for concurrent use.
type Provider interface {
	// Query asks once: no retries of its own. An answer came to its end or says that it did
	// not (RawAnswer.Partial): its calls are left out then, and named. A stream that ends
	// without its terminal event is a network error, and arguments cut in the middle are never
	// returned as calls. A cancelled context returns the context's cause.
	Query(ctx context.Context, request *Request) (*Answer, error)
	Abilities() Abilities
}

// Request is one call of the AI.
type Request struct {
	Prompt *domain.Prompt
	// MaxTokens of the answer; 0: the provider's default.
	MaxTokens int
	// Small asks for the config's small_model where there is one (summaries).
	Small bool
	// OnDelta receives the answer as it streams; nil: nobody listens, the call is made
	// whole. It must not block.
	OnDelta func(Delta)
	// SessionID and RoundID are for tracing only.
	SessionID string
	RoundID   string
	NewID     domain.IDSource // for the server's own call ids
}

// DeltaKind says what a delta is a piece of.
type DeltaKind string

const (
	DeltaText      DeltaKind = "text"
	DeltaThinking  DeltaKind = "thinking"
	DeltaArguments DeltaKind = "arguments"
)

// Delta is a piece of an answer while it streams.
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

// Abilities of a configured model; what the prompt and the loop must know.
type Abilities struct {
	NativeCalls      bool
	Sees             bool // it takes pictures
	StructuredOutput bool
	Streaming        bool
	// AlwaysStreams: an answer comes piece by piece even if nobody listens, so that
	// listening costs the vendor and the network nothing.
	AlwaysStreams bool
	ContextWindow int // tokens; 0: unknown
	// MaxTokens of an answer when the request does not say, for reserving a budget.
	MaxTokens int
	// Model and SmallModel are the configured names.
	Model      string
	SmallModel string
}

// Class is what an error means for what happens next.
type Class string

const (
	ClassNetwork        Class = "network"          // could not be reached, or broke off
	ClassRateLimited    Class = "rate_limited"     // RetryAfter may be set
	ClassOverloaded     Class = "overloaded"       //
	ClassAuthentication Class = "authentication"   // wrong key
	ClassInvalidRequest Class = "invalid_request"  // unknown model, refused parameter
	ClassContextTooLong Class = "context_too_long" // compaction may help
	ClassMaxTokens      Class = "max_tokens"       // the limit of the answer is too large for the model
	ClassQuota          Class = "quota"            // nothing is left to pay with; waiting does not help
	ClassRefused        Class = "refused"          // by the provider's policy
	ClassCancelled      Class = "cancelled"        // by us
)

// Retryable says whether the same call may succeed later by itself.
func (c Class) Retryable() bool {
	return c == ClassNetwork || c == ClassRateLimited || c == ClassOverloaded
}

// Known says whether it is one of these: a provider's own config may name another.
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

// Error is a failed call. Message is safe to show: it never holds a key.
type Error struct {
	Class      Class
	Message    string
	Status     int // HTTP status, 0 where there was none
	RetryAfter time.Duration
	RequestID  string
	// NotCalled: the provider was known to be down, and was not called at all.
	NotCalled bool
	// Forbidden: this server does not call the host; the provider was not asked.
	Forbidden bool
	// Partial: a part of an answer had come, which may have to be paid for.
	Partial bool
	// Text is the part of an answer that came in one piece and is not whole. What streamed was
	// given to the listener.
	Text string
	// MaxTokens is the most that the answer may have, where the provider named it; FixedLimit:
	// whatever the prompt. Over is how many tokens the request has too many, where it said that.
	MaxTokens  int
	FixedLimit bool
	Over       int
	// Said: the vendor answered with this failure; nothing of an answer was made.
	Said bool
	// Usage is what the call used all the same, where that is known.
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

// Kind is a sort of provider that can be configured: an entry of the registry.
type Kind struct {
	Name        string // "openai_compatible"
	DisplayName string
	// Schema is the JSON Schema of the config; forms are made from it and configs are
	// checked against it.
	Schema json.RawMessage
	// Origin is where a config's requests go (see egress.Origin), defaults and presets
	// counted; nil: nowhere.
	Origin func(config json.RawMessage) (string, error)
	// New makes a provider of a config. secret is the API key ("" where none is
	// needed); client reaches only allowed hosts.
	New func(config json.RawMessage, secret string, client *http.Client) (Provider, error)
	// Models lists what the configured endpoint offers; nil where it cannot.
	Models func(ctx context.Context, config json.RawMessage, secret string, client *http.Client) ([]string, error)
}

// Registry finds kinds by name.
type Registry struct{ kinds []Kind }

// NewRegistry makes a registry of kinds, kept in this order.
func NewRegistry(kinds ...Kind) *Registry { return &Registry{kinds: kinds} }

// Kinds lists them.
func (r *Registry) Kinds() []Kind { return r.kinds }

// Kind finds one by name.
func (r *Registry) Kind(name string) (Kind, bool) {
	for _, k := range r.kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
