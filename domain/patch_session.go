package domain

// SessionPatch changes what people may change of a session. Nil: unchanged.
type SessionPatch struct {
	Name              *string
	Pinned            *bool
	RequireValidation *bool
	ProviderID        *string // to "": the default provider
	Budgets           BudgetsPatch
}

// Apply merges the patch into a session.
func (p SessionPatch) Apply(s *Session) {
	Set(&s.Name, p.Name)
	Set(&s.Pinned, p.Pinned)
	Set(&s.RequireValidation, p.RequireValidation)
	Set(&s.ProviderID, p.ProviderID)
	p.Budgets.Apply(&s.Budgets)
}

// BudgetsPatch changes budgets. Nil: unchanged; a pointer to nil: no bound.
type BudgetsPatch struct {
	MaxTokensPerRound **int64
	MaxCostPerRound   **float64
	MaxCostPerSession **float64
	MaxCostPerDay     **float64
}

// Apply merges the patch into budgets.
func (p BudgetsPatch) Apply(b *Budgets) {
	Set(&b.MaxTokensPerRound, p.MaxTokensPerRound)
	Set(&b.MaxCostPerRound, p.MaxCostPerRound)
	Set(&b.MaxCostPerSession, p.MaxCostPerSession)
	Set(&b.MaxCostPerDay, p.MaxCostPerDay)
}

// Set applies a field of a patch; nil leaves it as it is.
func Set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
