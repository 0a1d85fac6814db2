package providers

import "github.com/fermata-dev/fermata/domain"

// Model is a configured provider, ready to be called.
type Model struct {
	Provider  Provider
	ID        string // of the configured provider; "" for the built-in demo
	Kind      string
	Name      string // of the model
	Protocol  domain.Protocol
	MaxTokens int
}

// Label returns the model's name for people.
func (m *Model) Label() string {
	if m.Name != "" {
		return m.Name
	}
	return m.Kind
}
