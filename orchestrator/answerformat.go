package orchestrator

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// A message can ask for a format of the round's final answer. Calls on the way to it offer commands and do not
// send the schema: strict servers call no tools then. A final answer in another format is followed by a call
// that sends the schema and offers no commands, and by one repair of that. Each is counted in the step that
// stores the answer, so that a process that takes over continues with the next.

// maxMisfits is how many answers in another format are corrected in a round.
const maxMisfits = 2

// formatting is the format of a round's answer.
type formatting struct{ driver *driver }

// format is that of the present round; nil: text.
func (f formatting) format(ctx context.Context) (*domain.AnswerFormat, error) {
	tools, err := f.driver.clientTools(ctx)
	if tools == nil {
		return nil, err
	}
	return tools.Answer, err
}

// ask adds the format to a prompt.
func (f formatting) ask(ctx context.Context, ask *ai.Prompt) error {
	format, err := f.format(ctx)
	if format == nil {
		return err
	}
	closing := f.driver.session.State.Misfits > 0
	ask.Tail += "\n" + prompt.FormatNotice(format, ask.Protocol, closing)
	if closing {
		ask.Protocol, ask.Commands, ask.AnswerSchema = domain.ProtocolNative, nil, format.Schema
		if f.driver.tools.formatInWords {
			ask.AnswerSchema = nil
		}
	}
	return nil
}

// sent reports whether the prompt that was made last asks for a format.
func (f formatting) sent() bool {
	tools := f.driver.tools
	return tools.list != nil && tools.message == f.driver.session.State.RoundTools && tools.list.Answer != nil
}

// refused reports whether a request that failed is made again without the schema, which may be what the vendor
// does not take.
func (f formatting) refused(class providers.Class) bool {
	if class != providers.ClassInvalidRequest || !f.sent() || f.driver.session.State.Misfits == 0 || f.driver.tools.formatInWords {
		return false
	}
	f.driver.tools.formatInWords = true
	return true
}

// check checks the format of an answer that closes the round: its text becomes the JSON value alone. The event
// is not nil if the answer cannot be used.
func (f formatting) check(ctx context.Context, raw *domain.RawAnswer, messageID string, answer *domain.AIMessage) (domain.Event, error) {
	format, err := f.format(ctx)
	if format == nil {
		return nil, err
	}
	if !closesRound(raw, answer) {
		// The AI is called with the results, or the answer would be the text beside its actions.
		answer.KeepControl = answer.KeepControl || len(answer.ActionCommands) > 0
		return nil, nil //nolint:nilnil // it continues
	}
	said := *raw
	if raw.Protocol == domain.ProtocolJSON {
		said.Text = answer.PreText
	}
	value, problem := f.driver.loop.formats.Find(&said, format)
	switch {
	case problem == "":
		answer.PreText, answer.PostText = value, ""
		return nil, nil //nolint:nilnil // it continues
	case f.driver.session.State.Misfits >= maxMisfits:
		return domain.SystemErrorOccurred{Code: domain.FailureAnswerFormat, Problem: problem}, nil
	}
	return domain.ParseErrorOccurred{MessageID: messageID, Raw: raw, Problem: problem, Misfit: true}, nil
}

// closesRound reports whether a chat's round ends with an answer. A refusal is not checked: it is prose.
func closesRound(raw *domain.RawAnswer, answer *domain.AIMessage) bool {
	return len(raw.Calls)+len(answer.DataCommands)+len(answer.ActionCommands)+len(answer.ClientCalls) == 0 && answer.Module == nil &&
		raw.StopReason != domain.StopRefused && raw.StopReason != domain.StopFiltered
}
