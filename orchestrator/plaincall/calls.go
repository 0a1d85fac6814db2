package plaincall

import (
	"cmp"
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// Calls call a workspace's provider without a session, for clients that need no more.
type Calls struct {
	Models interface {
		For(ctx context.Context, workspace, provider string) (*providers.Model, error)
	}
	Store interface {
		View(ctx context.Context, workspace, session string) (*domain.View, error)
		Commit(ctx context.Context, change *domain.Change) error
	}
	Budgets  *Budgets
	Observer providers.CallObserver
	Clock    clock.Clock
	NewID    domain.IDSource

	formats prompt.AnswerFormats
}

// Call is one call. Payer is who is charged for it.
type Call struct {
	Prompt    *ai.Prompt
	MaxTokens int
	Payer     string
	// Answer is the format of the answer; nil: text.
	Answer *domain.AnswerFormat
	// OnDelta is called with each part of the answer; nil: it is not streamed.
	OnDelta func(kind, text string)
}

// purpose is that of such a call in its record.
const purpose = "plain"

// Do calls the workspace's provider. Its usage is recorded and counts against the workspace's
// budgets like that of chats, including the reservation while the call is in progress.
func (p *Calls) Do(ctx context.Context, workspace string, call Call) (*domain.RawAnswer, domain.Usage, error) {
	if call.Answer != nil {
		return p.formatted(ctx, workspace, call)
	}
	return p.once(ctx, workspace, call)
}

// once makes one call.
func (p *Calls) once(ctx context.Context, workspace string, call Call) (*domain.RawAnswer, domain.Usage, error) {
	model, err := p.Models.For(ctx, workspace, "")
	if err != nil {
		return nil, domain.Usage{}, err
	}
	w, end, err := p.mayCall(ctx, workspace, call, model)
	if err != nil {
		return nil, domain.Usage{}, err
	}
	var cost *float64
	called := false
	defer func() { end(cost, called) }()
	record := &domain.Roundtrip{
		ID: p.NewID(domain.PrefixRoundtrip), WorkspaceID: workspace, Payer: call.Payer, ProviderID: model.ID, ProviderKind: model.Kind,
		Model: model.Name, Purpose: purpose, Streamed: call.OnDelta != nil, StartedAt: p.Clock(),
	}
	request := &providers.Request{Prompt: call.Prompt, MaxTokens: call.MaxTokens, NewID: p.NewID}
	if call.OnDelta != nil {
		request.OnDelta = func(d providers.Delta) { call.OnDelta(string(d.Kind), d.Text) }
	}
	answer, err := model.Provider.Query(ctx, request)
	p.settle(record, &w.Settings, model, answer, err)
	cost, called = record.Usage.Cost, err == nil
	// The usage is recorded even if the client has disconnected.
	stored := p.Store.Commit(context.WithoutCancel(ctx), &domain.Change{
		WorkspaceID: workspace, At: record.EndedAt, Roundtrips: []*domain.Roundtrip{record},
	})
	if err != nil {
		return nil, record.Usage, clientError(err)
	}
	return answer.Raw, record.Usage, stored
}

// mayCall rejects a call that no budget covers. Where there is a budget it reserves the possible cost
// until the call ends.
func (p *Calls) mayCall(ctx context.Context, workspace string, call Call, model *providers.Model) (
	*domain.Workspace, func(cost *float64, ended bool), error,
) {
	view, err := p.Store.View(ctx, workspace, "")
	if err != nil {
		return nil, nil, err
	}
	w := view.Workspace
	if limits := w.Settings.Limits.Chat; limits.MaxCostPerDay == nil && limits.MaxCostPerMonth == nil {
		return w, func(*float64, bool) {}, nil
	}
	usage := domain.Usage{
		InputTokens:  int64(prompt.Size(call.Prompt, 0)),
		OutputTokens: int64(cmp.Or(call.MaxTokens, model.MaxTokens)),
	}
	estimate := 0.0
	if cost := w.Settings.CostOf(usage, model.Name); cost != nil {
		estimate = *cost
	}
	end, err := p.Budgets.begin(ctx, workspace, estimate, func() error { return p.room(ctx, workspace) })
	return w, end, err
}

// room returns an error if the budgets do not allow one more call.
func (p *Calls) room(ctx context.Context, workspace string) error {
	view, err := p.Store.View(ctx, workspace, "")
	if err != nil {
		return err
	}
	limits := view.Workspace.Settings.Limits.Chat
	for _, budget := range []struct {
		limit *float64
		spent float64
	}{{limits.MaxCostPerDay, view.Spent.Today}, {limits.MaxCostPerMonth, view.Spent.ThisMonth}} {
		if budget.limit != nil && budget.spent+view.Spent.Reserved >= *budget.limit {
			return domain.Errorf(domain.CodeBudgetUsedUp,
				"The budget of the workspace is used up, or reserved for calls that are under way. Nothing was called.")
		}
	}
	return nil
}

// settle completes the record of a call.
func (p *Calls) settle(record *domain.Roundtrip, settings *domain.Settings, model *providers.Model, answer *providers.Answer, err error) {
	at := p.Clock()
	failed, ok := errors.AsType[*providers.Error](err)
	switch {
	case err == nil:
		providers.RecordAnswer(record, answer, at, settings, model.Name)
	case ok:
		record.Outcome, record.EndedAt, record.Error, record.Usage = string(failed.Class), at, failed.Message, failed.Usage
	default:
		record.Outcome, record.EndedAt = domain.OutcomeCut, at
	}
	if record.Usage.Cost == nil {
		record.Usage.Cost = settings.CostOf(record.Usage, record.Model)
	}
	providers.Observe(p.Observer, record)
}

// clientError maps a failed call to a client error: one that may succeed later is distinguished from
// one that will fail again for the same request.
func clientError(err error) error {
	failed, ok := errors.AsType[*providers.Error](err)
	switch {
	case !ok:
		return err
	case !failed.Class.Retryable() && failed.Class != providers.ClassAuthentication && failed.Class != providers.ClassCancelled:
		return &domain.Error{Code: domain.CodeInvalid, Message: "The provider refused the request: " + failed.Message, Err: err}
	}
	return &domain.Error{Code: domain.CodeProviderFailed, Message: failed.Message, Err: err}
}
