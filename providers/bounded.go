package providers

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// MaxAnswer bounds an answer of any kind of provider, in bytes of its text, thoughts and
// arguments together. What is longer was not written for a person, and is stored, sent
// and prompted again and again. A kind may have a smaller bound of its own.
const MaxAnswer = 8 << 20

// Bounded makes a provider whose answers are never longer than MaxAnswer: the call is cut
// when they grow beyond it, and fails.
func Bounded(p Provider) Provider { return bounded{p} }

type bounded struct{ Provider }

func (b bounded) Query(ctx context.Context, request *Request) (*Answer, error) {
	cut, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	own, came := *request, 0
	if listener := request.OnDelta; listener != nil {
		own.OnDelta = func(d Delta) {
			if came += len(d.Text); came > MaxAnswer {
				cancel(answerTooLong(came, domain.Usage{}))
				return
			}
			listener(d)
		}
	}
	answer, err := b.Provider.Query(cut, &own)
	switch {
	case ctx.Err() != nil:
		return answer, err
	case err == nil && answer.Raw.Bytes() > MaxAnswer:
		return nil, answerTooLong(answer.Raw.Bytes(), answer.Usage)
	case came > MaxAnswer:
		return nil, answerTooLong(came, domain.Usage{})
	}
	return answer, err
}

// answerTooLong tells what came, and what it used. Where the provider did not come to say
// it, the answer is counted at three and a half bytes a token.
func answerTooLong(bytes int, usage domain.Usage) *Error {
	if usage.Total() == 0 {
		usage.OutputTokens = (int64(bytes)*2 + 6) / 7
	}
	e := Errorf(ClassInvalidRequest, "answer too long: more than %d MiB. The call was cut and nothing of it was kept; "+
		"ask for less at a time, or set a smaller max_tokens", MaxAnswer>>20)
	e.Partial, e.Usage = true, usage
	return e
}
