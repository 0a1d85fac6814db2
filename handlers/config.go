package handlers

import (
	"net/http"

	"github.com/fermata-dev/fermata/handlers/admin"
	"github.com/fermata-dev/fermata/handlers/automations"
	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/handlers/events"
	"github.com/fermata-dev/fermata/handlers/outside"
	"github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/handlers/sessions"
	"github.com/fermata-dev/fermata/handlers/userdata"
)

// Config is all that the API needs. Every field is required unless its comment says otherwise.
type Config struct {
	Edge        edge.Config
	Sessions    sessions.Ports
	Events      events.Ports
	UserData    userdata.Ports
	Automations automations.Ports
	Outside     outside.Ports
	People      people.Ports
	Admin       admin.Ports
	// Protocols are other protocols to the same sessions. Optional, each of them.
	Protocols Protocols
	// Web serves everything that is no route of the API (the web page). Optional.
	Web http.Handler
}
