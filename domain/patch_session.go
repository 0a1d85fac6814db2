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
	set(&s.Name, p.Name)
	set(&s.Pinned, p.Pinned)
	set(&s.RequireValidation, p.RequireValidation)
	set(&s.ProviderID, p.ProviderID)
	p.Budgets.Apply(&s.Budgets)
}
