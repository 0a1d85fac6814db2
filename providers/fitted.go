package providers

import (
	"context"
	"errors"
	"sync/atomic"
)

// Fitted returns a provider that retries once with a smaller max_tokens if that was rejected as too
// large. Nothing was generated then, and the prompt stays the same. A limit that holds for every
// prompt is remembered.
func Fitted(p Provider) Provider { return &fitted{Provider: p} }

type fitted struct {
	Provider
	whole, small atomic.Int64 // limits of the model and the small model; 0: unknown
}

// Query calls the provider, and once more if only max_tokens was rejected.
func (f *fitted) Query(ctx context.Context, request *Request) (*Answer, error) {
	own, known := *request, &f.whole
	if request.Small {
		known = &f.small
	}
	asked := f.asked(request)
	if most := int(known.Load()); most > 0 && asked > most {
		own.MaxTokens, asked = most, most
	}
	answer, err := f.Provider.Query(ctx, &own)
	refused, ok := errors.AsType[*Error](err)
	if !ok || ctx.Err() != nil {
		return answer, err
	}
	if own.MaxTokens = refused.shorter(asked); own.MaxTokens == 0 {
		return answer, err
	}
	if answer, err = f.Provider.Query(ctx, &own); err == nil && refused.FixedLimit {
		known.Store(int64(own.MaxTokens))
	}
	return answer, err
}

// asked returns the max_tokens of a request; 0: unknown.
func (f *fitted) asked(request *Request) int {
	most := f.Abilities().MaxTokens
	c := Config{MaxTokens: most}
	return c.MaxTokensFor(request)
}

// shorter returns a max_tokens that may be accepted after a rejection; 0: a smaller one would not
// help.
func (e *Error) shorter(asked int) int {
	most := 0
	switch {
	case !e.Said:
	case e.Class == ClassMaxTokens && e.MaxTokens > 0:
		most = e.MaxTokens
	case e.Class == ClassMaxTokens:
		most = asked / 2 // the limit is not known
	case e.Over > 0:
		most = asked - e.Over - e.Over/50 - 16
	}
	if most < LeastAnswer || asked > 0 && most >= asked {
		return 0
	}
	return most
}
