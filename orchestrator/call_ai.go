package orchestrator

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// What a call of the AI is for.
const (
	purposeAnswer     = "answer"
	purposeCompaction = "compaction"
)

// callAI asks the model. Nothing is held meanwhile: no worker, no connection of the
// database.
func (d *driver) callAI(ctx context.Context) (domain.Event, error) {
	first, err := d.loop.cfg.Models.For(ctx, d.session.WorkspaceID, d.session.Calls())
	if err != nil {
		return noModel(err, d.session.Calls())
	}
	room := d.room()
	var files ai.PromptFiles // of the prompt that was sent last
	var described []domain.Provenance
	a := &asking{
		driver: d, purpose: purposeAnswer,
		request: func(ctx context.Context, model *providers.Model, call *domain.Roundtrip) (*providers.Request, error) {
			ask, err := d.prompt(ctx, model, room)
			if err != nil {
				return nil, err
			}
			files = prompt.FilesIn(ask.Turns)
			described, call.Offered = ask.Described, ask.Offered
			call.PromptSize = prompt.Parts(ask, room.sizes.turns)
			if reused, whole := d.loop.prefixes.next(d.session.ID, ask); whole > 0 {
				call.Reused = reused
				d.loop.cfg.Observer.PrefixReused(call.ProviderKind, float64(reused)/float64(whole))
			}
			return d.answerRequest(model, call, ask), nil
		},
	}
	for {
		r, err := a.ask(ctx, first)
		if full, ok := errors.AsType[*roomError](err); ok {
			return full.event(a), nil
		}
		if err != nil {
			return nil, err
		}
		if r.failed == nil {
			r.answer.Raw.PromptFiles, r.answer.Raw.OlderPromptFiles = files.Files, files.Older
			d.raw, d.answerID = r.answer.Raw, r.call.MessageID
			return domain.AIResponseReceived{
				MessageID: r.call.MessageID, Raw: r.answer.Raw, Hash: prompt.Hash(r.answer.Raw), LeftOut: room.leftOut, Roundtrip: r.call,
				Described: described,
			}, nil
		}
		switch {
		case formatting{d}.refused(r.failed.class):
		case r.failed.class != providers.ClassContextTooLong:
			return a.eventOf(r.failed), nil
		case !d.session.State.Compacted && a.tooLongCalls() < maxTooLong:
			return domain.ContextBudgetExceeded{Roundtrip: a.lastMade()}, nil
		case a.tooLongCalls() >= maxTooLong || !room.halve():
			return domain.SystemErrorOccurred{
				Code: domain.FailureTooLarge, Words: room.refused(), Problem: r.failed.problem,
				ProviderID: r.failed.provider, Roundtrip: a.lastMade(),
			}, nil
		}
	}
}

// answerRequest requests the next answer. Its text is streamed if there are watchers, or if the provider
// streams anyway: a watcher that joins later gets the text so far.
func (d *driver) answerRequest(model *providers.Model, call *domain.Roundtrip, ask *ai.Prompt) *providers.Request {
	s := d.session
	call.PromptHash = prompt.Fingerprint(ask)
	most := model.MaxTokens
	if s.State.Agent != nil && (most == 0 || most > domain.AgentAnswerTokens) {
		most = domain.AgentAnswerTokens
	}
	most = answerRoom(model, most, call.PromptTokens, len(ask.Commands) > 0)
	request := &providers.Request{
		Prompt: ask, MaxTokens: most, SessionID: s.ID, RoundID: s.State.RoundID, NewID: d.loop.cfg.NewID,
	}
	whole := formatting{d}.sent() // an answer in a format is checked before anyone reads it
	said := &strings.Builder{}
	d.said = said
	call.Streamed = d.loop.cfg.Streams.Watched(s.ID)
	if call.Streamed || model.Provider.Abilities().AlwaysStreams {
		d.streamed = call.MessageID
		var spoken prompt.Spoken
		request.OnDelta = func(delta providers.Delta) {
			if delta.Kind == providers.DeltaText && ask.Protocol == domain.ProtocolJSON {
				if delta.Text = spoken.More(delta.Text); delta.Text == "" {
					return
				}
			}
			if delta.Kind == providers.DeltaText && said.Len() < maxPart {
				said.WriteString(delta.Text)
			}
			if delta.Kind == providers.DeltaText && whole {
				return
			}
			d.loop.cfg.Streams.Delta(s.WorkspaceID, s.ID, call.MessageID, string(delta.Kind), delta.Text)
		}
	}
	return request
}

// noModel: the session's provider is gone or cannot be made. The database being away
// is something else.
func noModel(err error, provider string) (domain.Event, error) {
	var e *domain.Error
	if !errors.As(err, &e) || transient(err) {
		return nil, err
	}
	return domain.SystemErrorOccurred{Code: domain.FailureUnusable, Problem: e.Message, ProviderID: provider}, nil
}

// prompt is the model's prompt, as far as there is room.
func (d *driver) prompt(ctx context.Context, model *providers.Model, room *room) (*ai.Prompt, error) {
	ask, size, err := d.assemble(ctx, model)
	if err != nil {
		return nil, err
	}
	return ask, room.fit(ask, size, model, d.session.State.Compacted)
}

// assemble puts together all that there is to read, with an estimate of its history:
// the levels from their caches, the turns from the history in memory. Only what is
// new costs anything.
func (d *driver) assemble(ctx context.Context, model *providers.Model) (*ai.Prompt, int, error) {
	s, settings := d.session, &d.view.Workspace.Settings
	history, err := d.loop.histories.past(ctx, s, model.Protocol, d.loop.cfg.Store)
	if err != nil {
		return nil, 0, err
	}
	turns, size, err := d.withFiles(ctx, history, model)
	if err != nil {
		return nil, 0, err
	}
	view := d.present()
	data := d.loop.cfg.Data(s.WorkspaceID)
	if _, err := d.loop.levels.read(ctx, s.WorkspaceID, data, d.loop.cfg.Clock()); err != nil {
		return nil, 0, err
	}
	offer := d.loop.offer(ctx, view)
	ours, names := offer.All(), namesOnTheWire(offer.Whole)
	specs := onTheWire(offer.Whole)
	offer.Named = onTheWire(offer.Named)
	tools, err := d.clientTools(ctx)
	if err != nil {
		return nil, 0, err
	}
	specs = append(specs, tools.Specs(ours)...)
	offer.Whole = specs
	agent, err := d.loop.agents.begunWith(ctx, s)
	if err != nil {
		return nil, 0, err
	}
	levels, err := d.loop.levels.of(ctx, view, agent, model.Protocol, offer, data, d.loop.cfg.Clock())
	if err != nil {
		return nil, 0, err
	}
	ask := &ai.Prompt{
		System: levels.system, UserData: levels.userData, Turns: turns,
		Tail: prompt.Tail(d.loop.cfg.Clock(), s.ScheduledExecutionTime, settings), Protocol: model.Protocol,
	}
	if s.State.NextReason == domain.ReasonLimitNotification {
		ask.Tail += "\n" + prompt.Notice("GUIDANCE", "The limits of this session are near: come to an end.")
	}
	ask.Described = append(trust.Described(append(slices.Clone(specs), offer.Named...)), levels.stored...)
	if model.Protocol == domain.ProtocolNative {
		ask.Commands = offered(s, settings, specs)
	} else if model.Provider.Abilities().StructuredOutput {
		ask.AnswerSchema = prompt.JSONSchemaOfAnswer(s.Type)
	}
	if err := (formatting{d}).ask(ctx, ask); err != nil {
		return nil, 0, err
	}
	if ask.Offered = offeredTools(specs, names); model.Protocol == domain.ProtocolNative {
		ask.Offered = offeredTools(ask.Commands, names)
	}
	return ask, size, nil
}

// namesOnTheWire maps the names that a model calls commands by to their names in the catalogue.
func namesOnTheWire(specs []domain.CommandSpec) map[string]string {
	names := make(map[string]string, len(specs))
	for i := range specs {
		names[specs[i].WireName()] = specs[i].Name
	}
	return names
}

// offeredTools counts and names the tools that a prompt offers. names is that of namesOnTheWire, and
// has no client tools.
func offeredTools(specs []domain.CommandSpec, names map[string]string) *domain.OfferedTools {
	offered := &domain.OfferedTools{Tools: len(specs)}
	for i := range specs {
		if name := names[specs[i].Name]; name != "" && len(offered.Names) < domain.MaxOfferedNames {
			offered.Names = append(offered.Names, name)
		}
	}
	return offered
}

// onTheWire names the commands as a model calls them.
func onTheWire(specs []domain.CommandSpec) []domain.CommandSpec {
	for i := range specs {
		specs[i].Name = specs[i].WireName()
	}
	return specs
}
