package doctor

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/fermata-dev/fermata/cli/remote"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// metrics checks whether the metrics can be scraped from here.
func (d *doctor) metrics() diagnosis.Finding {
	const check = "metrics"
	ctx, cancel := context.WithTimeout(d.cc, 10*time.Second)
	defer cancel()
	response, err := d.Send(ctx, http.MethodGet, "/metrics", nil, "", "text/plain")
	refused, _ := errors.AsType[*remote.ServerError](err)
	switch {
	case refused != nil && refused.Status < http.StatusInternalServerError: // refused by the server or a proxy
		return diagnosis.Skipped(check, "not available here; only on the server's machine, at FERMATA_METRICS_LISTEN or with the root key")
	case err != nil:
		return diagnosis.Failed(check, err.Error(), "Search the server's log for the request id.")
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(response.Body, remote.MaxAnswer))
	if err != nil || !bytes.Contains(text, []byte("\nfermata_build_info{")) {
		return diagnosis.Failed(check, "the response of /metrics is not Fermata's", "Check whether a proxy responds there.")
	}
	return diagnosis.OK(check, "served at /metrics; see docs/metrics.md")
}
