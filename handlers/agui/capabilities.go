package agui

import (
	"net/http"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Capabilities serves GET /v1/agui: the capabilities document of the protocol.
type Capabilities struct {
	Door

	Version string
}

// Serve writes the document.
func (c *Capabilities) Serve(w http.ResponseWriter, _ *http.Request, _ *auth.Identity, _ []byte) error {
	w.Header().Set("Content-Type", "application/json")
	_, err := w.Write(jsonbody.Encode(fields{
		"identity":       fields{"name": "Fermata", "version": c.Version},
		"transport":      fields{"streaming": true, "resumable": true},
		"tools":          fields{"supported": true, "parallelCalls": true, "clientProvided": true},
		"state":          fields{"snapshots": true, "deltas": false, "persistentState": true},
		"reasoning":      fields{"supported": true, "streaming": true, "encrypted": false},
		"multimodal":     fields{"input": fields{"image": true, "audio": false, "video": false, "pdf": false, "file": true}},
		"humanInTheLoop": fields{"supported": true, "approvals": true, "interrupts": true, "approveWithEdits": true, "feedback": true},
	}))
	return err //nolint:wrapcheck // the client has disconnected
}
