package outside

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Providers keeps the configured providers. A config comes with its api_key in it; the
// service checks it against the kind's schema, takes the key out, seals it, and keeps
// the stored key when the mask (Provider.SecretMask) is sent back. Mistakes have
// pointers that begin with "/config".
type Providers interface {
	Providers(ctx context.Context, ws string) ([]*outside.Provider, error)
	Provider(ctx context.Context, ws, id string) (*outside.Provider, error)
	CreateProvider(ctx context.Context, ws string, in outside.NewProvider) (*outside.Provider, error)
	UpdateProvider(ctx context.Context, ws, id string, version int64, patch outside.ProviderPatch) (*outside.Provider, error)
	DeleteProvider(ctx context.Context, ws, id string, version int64) error
}

// ProviderProbe asks the world about providers.
type ProviderProbe interface {
	Kinds() []outside.ProviderKind
	// TestProvider makes one short call. A call that fails is no error: it is in the
	// result.
	TestProvider(ctx context.Context, ws, id string) (*outside.ProviderTest, error)
	ProviderModels(ctx context.Context, ws, id string) ([]string, error)
}

// Connectors keeps the connectors. A config comes with its secrets in it; the service checks
// it against the kind's schema, takes them out, seals them, and keeps those whose mask is
// sent back. Mistakes have pointers that begin with "/config" or "/commands/n".
type Connectors interface {
	Connectors(ctx context.Context, ws string) ([]*outside.Connector, error)
	Connector(ctx context.Context, ws, id string) (*outside.Connector, error)
	CreateConnector(ctx context.Context, ws string, in outside.NewConnector) (*outside.Connector, error)
	UpdateConnector(ctx context.Context, ws, id string, version int64, patch outside.ConnectorPatch) (*outside.Connector, error)
	UpdateConnectorCommand(
		ctx context.Context,
		ws, id, name string,
		version int64,
		patch outside.ConnectorCommandPatch,
	) (*outside.Connector, error)
	DeleteConnector(ctx context.Context, ws, id string, version int64) error
}

// ConnectorProbe asks the servers of connectors. One that cannot be reached is no error: it
// is in what comes back.
type ConnectorProbe interface {
	RefreshConnector(ctx context.Context, ws, id string) (*outside.Connector, error)
	TestConnector(ctx context.Context, ws, id string) (*outside.ConnectorTest, error)
}

// ConnectorSignIn has people sign in to the servers of connectors.
type ConnectorSignIn interface {
	SignIn(ctx context.Context, ws, id string, browser outside.SignInBrowser, by domain.Author) (*outside.SignIn, error)
	// PendingSignIn returns the sign-in of a state, and uses nothing of it up.
	PendingSignIn(ctx context.Context, state string) (*outside.PendingSignIn, error)
	// FinishSignIn completes a sign-in. It returns the connector, if it is known, also with an error.
	FinishSignIn(ctx context.Context, answer outside.SignInAnswer) (*outside.Connector, error)
}

// ConnectorPreviewer proposes a connector of an OpenAPI document, or of the one at an address.
type ConnectorPreviewer interface {
	PreviewConnector(ctx context.Context, document json.RawMessage, from string) (*outside.ConnectorPreview, error)
}

// Agents keeps the definitions of agents. Mistakes are domain invalid errors with pointers
// into the agent.
type Agents interface {
	Agents(ctx context.Context, ws string) ([]*userdata.AgentDefinition, error)
	Agent(ctx context.Context, ws, id string) (*userdata.AgentDefinition, error)
	// AgentVersions are what it was, the latest first.
	AgentVersions(ctx context.Context, ws, id, cursor string, limit int) ([]*userdata.AgentDefinition, string, error)
	Create(ctx context.Context, ws string, in userdata.AgentPatch) (*userdata.AgentDefinition, error)
	Update(ctx context.Context, ws, id string, version int64, patch userdata.AgentPatch) (*userdata.AgentDefinition, error)
	Delete(ctx context.Context, ws, id string, version int64) error
	// Try gives an agent a task without anybody who calls it.
	Try(ctx context.Context, ws, id, query string, by domain.Author) (*domain.Receipt, error)
}

// Ports are what connects the server with others, and what the AI calls beside its
// commands.
type Ports struct {
	Providers  ProviderPorts
	Connectors ConnectorPorts
	Webhooks   WebhookPorts
	Tasks      TaskPorts
	Agents     Agents
}

// ProviderPorts are about the AI providers.
type ProviderPorts struct {
	Providers     Providers
	ProviderProbe ProviderProbe
}

// ConnectorPorts are about the servers outside whose commands join the catalogue.
type ConnectorPorts struct {
	Connectors     Connectors
	ConnectorProbe ConnectorProbe
	SignIn         ConnectorSignIn
	Previewer      ConnectorPreviewer
}

// WebhookPorts manage webhooks and their deliveries.
type WebhookPorts struct {
	Webhooks Webhooks
	Sending  WebhookSending
}

// Tasks is the work that other services do for sessions.
type Tasks interface {
	Task(ctx context.Context, ws, id string) (*domain.Task, error)
	Tasks(ctx context.Context, ws string, f domain.TaskFilter) ([]*domain.Task, string, error)
	// CancelTask cancels the task for the session at once, and at the service as soon as it can be reached.
	CancelTask(ctx context.Context, ws, id string, by domain.Author) (*domain.Task, error)
}

// Callbacks receive reports of services on tasks. A signature proves that the caller is the service.
type Callbacks interface {
	// CallbackSecrets are those that a report about a task may be signed with. An unknown
	// task is a domain not_found error.
	CallbackSecrets(ctx context.Context, task string) ([]string, error)
	ReportTask(ctx context.Context, task string, report domain.TaskReport) (*domain.Task, error)
}

// TaskPorts are about the work of other services.
type TaskPorts struct {
	Tasks     Tasks
	Callbacks Callbacks
}

// Webhooks stores webhooks. Validation failures are domain invalid errors with pointers into the webhook.
type Webhooks interface {
	Webhooks(ctx context.Context, ws string) ([]*outside.Webhook, error)
	Webhook(ctx context.Context, ws, id string) (*outside.Webhook, error)
	// CreateWebhook makes one, and gives its secret, this once.
	CreateWebhook(ctx context.Context, in outside.Webhook) (h *outside.Webhook, secret string, err error)
	UpdateWebhook(ctx context.Context, ws, id string, version int64, patch outside.WebhookPatch) (*outside.Webhook, error)
	DeleteWebhook(ctx context.Context, ws, id string, version int64) error
}

// WebhookSending is what is done with one that is there.
type WebhookSending interface {
	Deliveries(ctx context.Context, ws, id string, state outside.DeliveryState, cursor string, limit int) (
		[]*outside.WebhookDelivery, string, error)
	// RotateSecret gives it another secret, which is given back this once.
	RotateSecret(ctx context.Context, ws, id string) (h *outside.Webhook, secret string, err error)
	ReplayWebhook(ctx context.Context, ws, id string, after int64) (*outside.Webhook, error)
	// TestWebhook sends one message. That it does not arrive is no error: it is in the result.
	TestWebhook(ctx context.Context, ws, id string) (*outside.WebhookTest, error)
}
