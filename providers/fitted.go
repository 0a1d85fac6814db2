package providers

import (
	"context"
	"errors"
	"sync/atomic"
)

// Fitted makes a provider that is asked once more, for a shorter answer, when it refuses the
// length that its answer was allowed. Nothing of an answer was made then, and what was asked
// stays as it is. A limit that holds for every prompt is remembered.
func Fitted(p Provider) Provider { return &fitted{Provider: p} }

type fitted struct {
	Provider
	whole, small atomic.Int64 // the most that the model and the small model allow; 0: not known
}

// Query asks, and once more where only the length of the answer was refused.
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

// asked is the most that the answer to a request may have; 0: not known.
func (f *fitted) asked(request *Request) int {
	most := f.Abilities().MaxTokens
	c := Config{MaxTokens: most}
	return c.MaxTokensFor(request)
}

// shorter is the length of an answer that may be allowed where this one was refused; 0: a
// shorter answer is not what is missing.
func (e *Error) shorter(asked int) int {
	most := 0
	switch {
	case !e.Said:
	case e.Class == ClassMaxTokens && e.MaxTokens > 0:
		most = e.MaxTokens
	case e.Class == ClassMaxTokens:
		most = asked / 2 // it does not say what it allows
	case e.Over > 0:
		most = asked - e.Over - e.Over/50 - 16
	}
	if most < LeastAnswer || asked > 0 && most >= asked {
		return 0
	}
	return most
}
