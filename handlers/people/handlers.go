package people

import "github.com/fermata-dev/fermata/handlers/edge"

// Handlers handles requests for people who sign in.
type Handlers struct {
	*edge.Edge
	Ports
}

// New makes the handlers of a server.
func New(e *edge.Edge, ports Ports) *Handlers { return &Handlers{e, ports} }

// SettingsHandlers handles requests for a workspace's settings and keys.
type SettingsHandlers struct {
	*edge.Edge
	SettingsPorts
}

// NewSettings makes the handlers of a server.
func NewSettings(e *edge.Edge, ports SettingsPorts) *SettingsHandlers {
	return &SettingsHandlers{e, ports}
}
