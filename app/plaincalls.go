package app

import (
	"cmp"
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/openai"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// plainCalls call a workspace's provider without a session, for clients that need no more.
type plainCalls struct{ app *App }

// purposePlain is the purpose of such a call in its record.
const purposePlain = "plain"

// CallPlain calls the workspace's provider. Its usage is recorded and counts against the workspace's
// budgets like that of chats, including the reservation while the call is in progress.
func (p plainCalls) CallPlain(ctx context.Context, workspace string, call openai.PlainCall) (*domain.RawAnswer, domain.Usage, error) {
	model, err := p.app.providers.Models.For(ctx, workspace, "")
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
		ID: p.app.newID(domain.PrefixRoundtrip), WorkspaceID: workspace, Payer: call.Payer, ProviderID: model.ID, ProviderKind: model.Kind,
		Model: model.Name, Purpose: purposePlain, Streamed: call.OnDelta != nil, StartedAt: p.app.clock(),
	}
	request := &providers.Request{Prompt: call.Prompt, MaxTokens: call.MaxTokens, NewID: p.app.newID}
	if call.OnDelta != nil {
		request.OnDelta = func(d providers.Delta) { call.OnDelta(string(d.Kind), d.Text) }
	}
	answer, err := model.Provider.Query(ctx, request)
	p.settle(record, &w.Settings, answer, err)
	cost, called = record.Usage.Cost, err == nil
	// The usage is recorded even if the client has disconnected.
	stored := p.app.store.Commit(context.WithoutCancel(ctx), &domain.Change{
		WorkspaceID: workspace, At: record.EndedAt, Roundtrips: []*domain.Roundtrip{record},
	})
	if err != nil {
		return nil, record.Usage, plainError(err)
	}
	return answer.Raw, record.Usage, stored
}

// mayCall rejects a call that no budget covers. Where there is a budget it reserves the possible cost
// until the call ends.
func (p plainCalls) mayCall(ctx context.Context, workspace string, call openai.PlainCall, model *providers.Model) (
	*domain.Workspace, func(cost *float64, ended bool), error,
) {
	view, err := p.app.store.View(ctx, workspace, "")
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
	end, err := p.app.plainBudgets.begin(ctx, workspace, estimate, func() error { return p.room(ctx, workspace) })
	return w, end, err
}

// room returns an error if the budgets do not allow one more call.
func (p plainCalls) room(ctx context.Context, workspace string) error {
	view, err := p.app.store.View(ctx, workspace, "")
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
func (p plainCalls) settle(record *domain.Roundtrip, settings *domain.Settings, answer *providers.Answer, err error) {
	record.EndedAt, record.Outcome = p.app.clock(), domain.OutcomeAnswered
	if failed, ok := errors.AsType[*providers.Error](err); ok {
		record.Outcome, record.Error, record.Usage = string(failed.Class), failed.Message, failed.Usage
	} else if err != nil {
		record.Outcome = domain.OutcomeCut
	}
	if answer != nil {
		record.Usage = answer.Usage
		if answer.Raw.Model != "" {
			record.Model = answer.Raw.Model
		}
		if !answer.FirstTokenAt.IsZero() {
			record.FirstTokenAt = &answer.FirstTokenAt
		}
	}
	if record.Usage.Cost == nil {
		record.Usage.Cost = settings.CostOf(record.Usage, record.Model)
	}
	outcome, took := record.Outcome, record.EndedAt.Sub(record.StartedAt)
	p.app.metrics.AICall(record.ProviderKind, outcome, took, 0, record.Usage, record.Model)
}

// plainError maps a failed call to a client error: one that may succeed later is distinguished from
// one that will fail again for the same request.
func plainError(err error) error {
	failed, ok := errors.AsType[*providers.Error](err)
	switch {
	case !ok:
		return err
	case !failed.Class.Retryable() && failed.Class != providers.ClassAuthentication && failed.Class != providers.ClassCancelled:
		return &domain.Error{Code: domain.CodeInvalid, Message: "The provider refused the request: " + failed.Message, Err: err}
	}
	return &domain.Error{Code: domain.CodeProviderFailed, Message: failed.Message, Err: err}
}
