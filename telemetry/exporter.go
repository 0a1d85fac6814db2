package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Config is the process whose traces are exported, and where they go.
type Config struct {
	Clock         clock.Clock
	Log           zerolog.Logger
	Version, Node string

	// endpoint is the collector's URL for traces, for example http://127.0.0.1:4318/v1/traces.
	endpoint string
	headers  map[string]string
	// ratio of the traces to export, from 0 to 1; all nodes select the same ones.
	ratio float64
	// content includes the parameters and results of commands and the answers of models.
	content bool
	// client sends the spans; it comes from internal/egress.
	client *http.Client
	// exported is called for each batch with the number of spans and the error of sending it; it may be nil.
	exported func(spans int, err error)
	service  string
}

const (
	// queued bounds the spans waiting to be sent. Further ones are dropped: a slow or unreachable collector
	// costs traces, and nothing else.
	queued = 4096
	// sendWithin bounds an attempt to send a batch.
	sendWithin = 10 * time.Second
	// complainEvery is the interval between log lines about a failing collector.
	complainEvery = time.Minute
)

// Traces creates spans from committed changes. Nil creates none.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	content  bool
}

// newTraces creates the exporter. It does not connect yet.
func newTraces(ctx context.Context, c Config) (*Traces, error) {
	sender, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.endpoint), otlptracehttp.WithHeaders(c.headers),
		otlptracehttp.WithHTTPClient(c.client), otlptracehttp.WithTimeout(sendWithin),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send traces to %s: %w", c.endpoint, err)
	}
	return over(c, &watched{SpanExporter: sender, config: c}), nil
}

// over is newTraces with a given exporter.
func over(c Config, exporter sdk.SpanExporter) *Traces {
	// The resource is not read from the environment: the server's configuration defines it.
	about := resource.NewSchemaless(attribute.String("service.name", c.service), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Node))
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithIDGenerator(givenIDs{}),
		sdk.WithSampler(sdk.TraceIDRatioBased(c.ratio)),
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queued), sdk.WithExportTimeout(sendWithin)))
	return &Traces{provider: provider, tracer: provider.Tracer("fermata"), content: c.content}
}

// Stop sends the remaining spans.
func (t *Traces) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// watched reports the results of batches. The library's own mechanism is an error handler for the whole
// process.
type watched struct {
	sdk.SpanExporter
	config Config

	mu         sync.Mutex
	complained time.Time
}

// ExportSpans sends a batch. An error is reported here and not returned to the library.
func (w *watched) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := w.SpanExporter.ExportSpans(ctx, spans)
	if w.config.exported != nil {
		w.config.exported(len(spans), err)
	}
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.config.Clock(); now.Sub(w.complained) >= complainEvery {
		w.complained = now
		w.config.Log.Warn().Err(err).Int("spans", len(spans)).Str("collector", w.config.endpoint).
			Msg("the collector did not accept traces; they are dropped, and nothing else is lost")
	}
	return nil
}
