package api

import (
	"github.com/oapi-codegen/nullable"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
)

// Domain returns the requested session without its first message.
func (in *NewSession) Domain(by, owner string) domain.NewSession {
	return domain.NewSession{
		Type: domain.Chat, Name: Value(in.Name), ProviderID: Value(in.ProviderID),
		RequireValidation: Value(in.RequireValidation), ExternalID: Value(in.ExternalID), By: by,
		Owner: owner, Visibility: domain.Visibility(Value(in.Visibility)),
	}
}

// Domain returns the requested fork without its first message.
func (in *NewFork) Domain() domain.NewFork {
	return domain.NewFork{MessageID: in.AfterMessageID, Name: Value(in.Name), ProviderID: Value(in.ProviderID)}
}

// Domain returns the options of the retry without its message.
func (in *RetryInput) Domain() domain.RetryRequest {
	return domain.RetryRequest{
		ProviderID: Value(in.ProviderID), Model: Value(in.Model), DespiteEffects: Value(in.DespiteEffects),
	}
}

// Domain returns the requested run without its message.
func (in *RunInput) Domain(by string) automation.RunRequest {
	return automation.RunRequest{By: by, ProviderID: Value(in.ProviderID), Model: Value(in.Model)}
}

// Domain returns the requested change.
func (in *SessionPatch) Domain() domain.SessionPatch {
	return domain.SessionPatch{
		Name: in.Name, Pinned: in.Pinned, RequireValidation: in.RequireValidation,
		ProviderID: orEmpty(in.ProviderID), Budgets: sessionBudgets(in.Budgets),
	}
}

// sessionBudgets is a change of budgets; null takes them all away.
func sessionBudgets(in nullable.Nullable[SessionPatchBudgets]) domain.BudgetsPatch {
	if in.IsNull() {
		return noBudgets()
	}
	b := in[true]
	return domain.BudgetsPatch{
		MaxTokensPerRound: orNil(b.MaxTokensPerRound), MaxCostPerRound: orNil(b.MaxCostPerRound),
		MaxCostPerSession: orNil(b.MaxCostPerSession),
	}
}

// noBudgets is the patch that takes all budgets away.
func noBudgets() domain.BudgetsPatch {
	return domain.BudgetsPatch{
		MaxTokensPerRound: new(*int64), MaxCostPerRound: new(*float64), MaxCostPerSession: new(*float64), MaxCostPerDay: new(*float64),
	}
}

// Busy is what the message asks for where the session works; "" for the usual.
func (in *MessageInput) Busy() domain.IfBusy { return domain.IfBusy(Value(in.IfBusy)) }
