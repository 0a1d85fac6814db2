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

// Config configures the export.
type Config struct {
	// Endpoint is the collector's URL for traces, for example http://127.0.0.1:4318/v1/traces.
	Endpoint string
	Headers  map[string]string
	// Ratio of the traces to export, from 0 to 1; all nodes select the same ones.
	Ratio float64
	// Content includes the parameters and results of commands and the answers of models.
	Content bool
	// Client sends the spans; it comes from internal/egress.
	Client *http.Client
	Clock  clock.Clock
	Log    zerolog.Logger
	// Exported, if set, is called for each batch with the number of spans and the error of sending it.
	Exported func(spans int, err error)

	Service, Version, Node string
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

// New creates the exporter. It does not connect yet.
func New(ctx context.Context, c Config) (*Traces, error) {
	sender, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Endpoint), otlptracehttp.WithHeaders(c.Headers),
		otlptracehttp.WithHTTPClient(c.Client), otlptracehttp.WithTimeout(sendWithin),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send traces to %s: %w", c.Endpoint, err)
	}
	return over(c, &watched{SpanExporter: sender, config: c}), nil
}

// over is New with a given exporter.
func over(c Config, exporter sdk.SpanExporter) *Traces {
	// The resource is not read from the environment: the server's configuration defines it.
	about := resource.NewSchemaless(attribute.String("service.name", c.Service), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Node))
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithIDGenerator(givenIDs{}),
		sdk.WithSampler(sdk.TraceIDRatioBased(c.Ratio)),
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queued), sdk.WithExportTimeout(sendWithin)))
	return &Traces{provider: provider, tracer: provider.Tracer("fermata"), content: c.Content}
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
	if w.config.Exported != nil {
		w.config.Exported(len(spans), err)
	}
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if now := w.config.Clock(); now.Sub(w.complained) >= complainEvery {
		w.complained = now
		w.config.Log.Warn().Err(err).Int("spans", len(spans)).Str("collector", w.config.Endpoint).
			Msg("the collector did not accept traces; they are dropped, and nothing else is lost")
	}
	return nil
}
