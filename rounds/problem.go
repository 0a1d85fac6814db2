package rounds

import (
	"net/http"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// WriteProblem writes an error as the API does, for protocols without a form of errors before a
// stream.
func WriteProblem(w http.ResponseWriter, f *api.Failure) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(f.Status)
	_, _ = w.Write(jsonbody.Encode(map[string]any{ // the client may have gone
		"type": "/problems/" + string(f.Code), "title": f.Message, "status": f.Status, "detail": f.Message, "code": f.Code,
		"request_id": f.RequestID, "retryable": f.Retryable, "outcome": f.Outcome, "errors": f.Fields,
	}))
}
