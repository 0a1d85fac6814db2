package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/secretfile"
)

// Tracing configures OpenTelemetry traces. OpenTelemetry's own variables are used if ours are not set.
type Tracing struct {
	OTLPEndpoint    string   `name:"otlp-endpoint" help:"OTLP collector for traces over HTTP, for example http://127.0.0.1:4318; if empty, there are no traces." env:"FERMATA_OTLP_ENDPOINT,OTEL_EXPORTER_OTLP_ENDPOINT" secret:"url"`
	OTLPHeaders     []string `name:"otlp-headers" help:"Headers for the collector: name=value, comma-separated." env:"FERMATA_OTLP_HEADERS,OTEL_EXPORTER_OTLP_HEADERS" secret:"yes"`
	OTLPHeadersFile string   `name:"otlp-headers-file" help:"File that contains them." env:"FERMATA_OTLP_HEADERS_FILE" hidden:""`
	TracesRatio     *float64 `help:"Fraction of rounds to trace, from 0 to 1; default 1." env:"FERMATA_TRACES_RATIO"`
	TracesContent   bool     `help:"Include the parameters and results of commands and the answers of models in traces." env:"FERMATA_TRACES_CONTENT"`
	ServiceName     string   `help:"Name of this service in traces; default fermata." env:"FERMATA_SERVICE_NAME,OTEL_SERVICE_NAME"`
}

// ResolveTracing completes and validates the collector's address.
func (f *Tracing) ResolveTracing() error {
	headers := strings.Join(f.OTLPHeaders, ",")
	if err := secretfile.Fill(map[*string]string{&headers: f.OTLPHeadersFile}); err != nil {
		return err
	}
	f.OTLPHeaders = nil
	if headers != "" {
		f.OTLPHeaders = strings.Split(headers, ",")
	}
	if r := f.TracesRatio; r != nil && (*r < 0 || *r > 1) {
		return fmt.Errorf("FERMATA_TRACES_RATIO must be a number from 0 to 1, not %v", *r)
	}
	if f.OTLPEndpoint == "" {
		return nil
	}
	u, err := url.Parse(f.OTLPEndpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("FERMATA_OTLP_ENDPOINT %q is not the address of a collector, for example http://127.0.0.1:4318", f.OTLPEndpoint)
	}
	if !strings.HasSuffix(u.Path, "/v1/traces") {
		f.OTLPEndpoint = u.JoinPath("v1", "traces").String()
	}
	return nil
}

func (f *Tracing) headers() (map[string]string, error) {
	all := map[string]string{}
	for _, text := range f.OTLPHeaders {
		name, value, is := strings.Cut(text, "=")
		name = strings.TrimSpace(name)
		decoded, err := url.PathUnescape(strings.TrimSpace(value)) // as OpenTelemetry writes them
		if !is || name == "" || err != nil {
			return nil, fmt.Errorf("FERMATA_OTLP_HEADERS must be name=value, comma-separated; item %d is not", len(all)+1)
		}
		all[name] = decoded
	}
	return all, nil
}

// client may connect only to the collector, which the operator chose.
func (f *Tracing) client() (*http.Client, error) {
	u, err := url.Parse(f.OTLPEndpoint)
	if err != nil {
		return nil, fmt.Errorf("read the collector's address: %w", err)
	}
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	allowed, err := egress.ParseAllowedHosts(net.JoinHostPort(u.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("the collector's host: %w", err)
	}
	return egress.NewClient(egress.Config{Policy: egress.Policy{Allowed: allowed}}), nil
}

// OpenTraces creates the exporter to the collector; nil without one. of has the clock, the log and the names of the process.
func (f *Tracing) OpenTraces(ctx context.Context, of Config, m *Metrics) (*Traces, error) {
	if f.OTLPEndpoint == "" {
		return nil, nil
	}
	var err error
	if of.headers, err = f.headers(); err != nil {
		return nil, err
	}
	if of.client, err = f.client(); err != nil {
		return nil, err
	}
	of.endpoint, of.ratio, of.content, of.exported = f.OTLPEndpoint, 1, f.TracesContent, m.exported
	if f.TracesRatio != nil {
		of.ratio = *f.TracesRatio
	}
	of.service = cmp.Or(f.ServiceName, "fermata")
	return newTraces(ctx, of)
}

// DiagnoseTracing sends an empty batch to check that the collector accepts traces, for `fermata doctor`.
func (f *Tracing) DiagnoseTracing(ctx context.Context) []diagnosis.Finding {
	if f.OTLPEndpoint == "" {
		return nil
	}
	const fix = "Check FERMATA_OTLP_ENDPOINT and FERMATA_OTLP_HEADERS, and that the collector accepts OTLP over HTTP (port 4318)."
	headers, err := f.headers()
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("trace collector", err.Error(), fix)}
	}
	client, err := f.client()
	if err == nil {
		err = ask(ctx, client, f.OTLPEndpoint, headers)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Warning("trace collector", err.Error(), fix)}
	}
	return []diagnosis.Finding{diagnosis.OK("trace collector", f.OTLPEndpoint+" accepts traces")}
}
