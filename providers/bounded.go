package providers

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// maxAnswer bounds the answer of any provider, in bytes of text, thoughts and arguments together. A
// longer one is not useful to people, and would be stored, sent and prompted repeatedly. A kind may
// have a smaller limit.
const maxAnswer = 8 << 20

// Bounded returns a provider that cancels a call when its answer exceeds maxAnswer. The call then
// fails.
func Bounded(p Provider) Provider { return bounded{p} }

type bounded struct{ Provider }

func (b bounded) Query(ctx context.Context, request *Request) (*Answer, error) {
	cut, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	own, came := *request, 0
	if listener := request.OnDelta; listener != nil {
		own.OnDelta = func(d Delta) {
			if came += len(d.Text); came > maxAnswer {
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
	case err == nil && answer.Raw.Bytes() > maxAnswer:
		return nil, answerTooLong(answer.Raw.Bytes(), answer.Usage)
	case came > maxAnswer:
		return nil, answerTooLong(came, domain.Usage{})
	}
	return answer, err
}

// answerTooLong is the error of a cancelled answer, with its usage. If the provider reported none,
// it is estimated at three and a half bytes per token.
func answerTooLong(bytes int, usage domain.Usage) *Error {
	if usage.Total() == 0 {
		usage.OutputTokens = (int64(bytes)*2 + 6) / 7
	}
	e := Errorf(ClassInvalidRequest, "answer too long: more than %d MiB. The call was cancelled and its answer discarded; "+
		"ask for less at a time, or set a smaller max_tokens", maxAnswer>>20)
	e.Partial, e.Usage = true, usage
	return e
}
