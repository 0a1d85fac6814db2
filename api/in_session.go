package api

import "github.com/fermata-dev/fermata/domain"

// Domain is the session that is asked for, without its first message.
func (in *NewSession) Domain(by string) domain.NewSession {
	return domain.NewSession{
		Type: domain.Chat, Name: valueOf(in.Name), ProviderID: valueOf(in.ProviderID),
		RequireValidation: valueOf(in.RequireValidation), ExternalID: valueOf(in.ExternalID), By: by,
	}
}

// Domain is the change that is asked for; budgets are those that the session has.
func (in *SessionPatch) Domain(budgets domain.Budgets) domain.SessionPatch {
	patch := domain.SessionPatch{Name: in.Name, Pinned: in.Pinned, RequireValidation: in.RequireValidation}
	if in.ProviderID.IsSpecified() {
		patch.ProviderID = new(in.ProviderID[true]) // "" for null: the default provider
	}
	if in.Budgets.IsSpecified() {
		merge(&budgets, in.Budgets, domain.Budgets{}, func(b *domain.Budgets, p SessionPatchBudgets) {
			setOptional(&b.MaxTokensPerRound, p.MaxTokensPerRound)
			setOptional(&b.MaxCostPerRound, p.MaxCostPerRound)
			setOptional(&b.MaxCostPerSession, p.MaxCostPerSession)
		})
		patch.Budgets = &budgets
	}
	return patch
}

// Busy is what the message asks for where the session works; "" for the usual.
func (in *MessageInput) Busy() domain.IfBusy { return domain.IfBusy(valueOf(in.IfBusy)) }
