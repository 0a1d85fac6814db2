package plaincall

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
)

// maxMisfits is how many answers in another format are corrected, the first of which is one that was not asked for
// with the schema.
const maxMisfits = 2

// formatted makes a call whose answer has a format. With tools, the schema is not sent before the model has
// answered without calls: strict servers call no tools then. An answer in another format is repaired once. The
// text is not streamed: it is checked before the client reads it.
func (p *Calls) formatted(ctx context.Context, workspace string, call Call) (*domain.RawAnswer, domain.Usage, error) {
	ask := *call.Prompt
	f := &formatting{call: call, ask: &ask, closing: len(ask.Commands) == 0}
	if f.closing {
		f.misfits++
	}
	var used domain.Usage
	for {
		answer, usage, err := p.once(ctx, workspace, f.next())
		used = used.Plus(usage)
		switch {
		case f.refused(err):
			continue
		case err != nil:
			return nil, used, err
		case len(answer.Calls) > 0, answer.StopReason == domain.StopRefused, answer.StopReason == domain.StopFiltered:
			return answer, used, nil
		}
		value, problem := p.formats.Find(answer, call.Answer)
		if problem == "" {
			own := *answer
			own.Text = value
			if call.OnDelta != nil {
				call.OnDelta("text", value)
			}
			return &own, used, nil
		}
		if f.misfits >= maxMisfits {
			return nil, used, domain.Errorf(domain.CodeAnswerSchema,
				"The AI’s answer does not satisfy the schema, not after a correction either: %s", problem)
		}
		f.correct(answer, problem)
	}
}

// formatting is how far such a call has come.
type formatting struct {
	call    Call
	ask     *ai.Prompt
	closing bool // the next call sends the schema, and offers no tools
	inWords bool // the provider has refused the schema
	misfits int
}

// next returns the next call.
func (f *formatting) next() Call {
	own := f.call
	prompted := *f.ask
	prompted.Tail = prompt.FormatNotice(f.call.Answer, domain.ProtocolNative, f.closing)
	if f.closing {
		prompted.Commands = nil
	}
	if f.closing && !f.inWords {
		prompted.AnswerSchema = f.call.Answer.Schema
	}
	own.Prompt = &prompted
	if f.call.OnDelta != nil {
		own.OnDelta = func(kind, text string) {
			if kind != "text" {
				f.call.OnDelta(kind, text)
			}
		}
	}
	return own
}

// refused reports whether the vendor refused a request with the schema, which may be what it does not take.
func (f *formatting) refused(err error) bool {
	if err == nil || !f.closing || f.inWords || domain.ErrorCode(err) != domain.CodeInvalid {
		return false
	}
	f.inWords = true
	return true
}

// correct adds an answer and what is wrong with it to the prompt.
func (f *formatting) correct(answer *domain.RawAnswer, problem string) {
	f.misfits++
	f.closing = true
	text := answer.Text
	if text == "" {
		text = "…"
	}
	f.ask.Turns = append(slices.Clone(f.ask.Turns),
		&ai.Turn{Role: ai.TurnAssistant, Blocks: []ai.Block{{Kind: ai.BlockText, Text: text}}},
		&ai.Turn{Role: ai.TurnUser, Blocks: []ai.Block{{
			Kind: ai.BlockText, Text: prompt.Notice(string(domain.SystemFormatError), problem),
		}}})
}
