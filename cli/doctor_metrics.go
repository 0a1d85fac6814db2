package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// metrics looks whether the server can be watched from here.
func (d *doctor) metrics() diagnosis.Finding {
	const check = "metrics"
	ctx, cancel := context.WithTimeout(d.cc, 10*time.Second)
	defer cancel()
	response, err := d.send(ctx, http.MethodGet, "/metrics", nil, "", "text/plain")
	refused, _ := errors.AsType[*serverError](err)
	switch {
	case refused != nil && refused.Status < http.StatusInternalServerError: // its own no, or a proxy's
		return diagnosis.Skipped(check, "not shown here; they are for the machine itself, FERMATA_METRICS_LISTEN or the root key")
	case err != nil:
		return diagnosis.Failed(check, err.Error(), "Look at the server's log under the request id.")
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil || !bytes.Contains(text, []byte("\nfermata_build_info{")) {
		return diagnosis.Failed(check, "what is served at /metrics is not what Fermata shows", "Look whether a proxy answers there.")
	}
	return diagnosis.OK(check, "served at /metrics; docs/metrics.md says what they mean")
}
