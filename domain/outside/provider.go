package outside

import (
	"encoding/json"
	"time"
)

// Provider is a configured way to call an AI model. Config is checked against the
// kind's schema; a key in it is kept apart, encrypted, as SecretSealed.
type Provider struct {
	ID           string
	WorkspaceID  string
	Name         string
	Kind         string
	Config       json.RawMessage // without the key
	SecretSealed string          // the sealed api_key; empty: none stored
	SecretMask   string          // "sk-…abcd", for people
	// EnvGrant is a variable and an origin ("NAME@https://host:443") that the operator combined: the
	// variable may be sent only there, beyond its vendor's hosts.
	EnvGrant  string
	IsDefault bool
	Version   int64
	CreatedAt time.Time
	UpdatedAt time.Time
}

// NewProvider asks for a provider.
type NewProvider struct {
	Name      string
	Kind      string
	Config    json.RawMessage
	IsDefault bool
	// ByOperator: the caller operates the server, and may choose where an environment variable with a key
	// is sent.
	ByOperator bool
}

// ProviderPatch changes a provider. Nil: unchanged. Config is a merge patch of the
// config: null takes a key out.
type ProviderPatch struct {
	Name      *string
	Config    json.RawMessage
	IsDefault *bool
	// ByOperator is as in NewProvider.
	ByOperator bool
}

// ProviderKind is a sort of provider that can be configured.
type ProviderKind struct {
	Name         string
	DisplayName  string
	ConfigSchema json.RawMessage
}

// ProviderTest is what a test call found.
type ProviderTest struct {
	OK      bool
	Model   string
	Latency time.Duration
	Said    string // the beginning of the answer
	// What follows is set when it failed: the class of the failure, what the vendor said,
	// what that means, and what to do.
	Code    string
	Message string
	Meaning string
	Fix     string
}
