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

// Config says where spans go.
type Config struct {
	// Endpoint is the collector's address for traces over HTTP, like
	// http://127.0.0.1:4318/v1/traces.
	Endpoint string
	Headers  map[string]string
	// Ratio of the traces that are sent, from 0 to 1; the same ones on every node.
	Ratio float64
	// Content has spans carry what commands were given and gave, and what the model answered.
	Content bool
	// Client of internal/egress, by which they are sent.
	Client *http.Client
	Clock  clock.Clock
	Log    zerolog.Logger
	// Exported, if set, is told of each batch: how many spans, and whether they were taken.
	Exported func(spans int, err error)

	Service, Version, Node string
}

const (
	// queued bounds the spans that wait to be sent. What comes when there are more is left out:
	// a collector that is slow or gone costs traces, and nothing else.
	queued = 4096
	// sendWithin bounds a try to send a batch.
	sendWithin = 10 * time.Second
	// complainEvery is how often a collector that does not answer is told in the log.
	complainEvery = time.Minute
)

// Traces makes spans of what is committed. Nil makes none.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
	content  bool
}

// New makes the way to the collector. It asks nothing of it yet.
func New(ctx context.Context, c Config) (*Traces, error) {
	sender, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(c.Endpoint), otlptracehttp.WithHeaders(c.Headers),
		otlptracehttp.WithHTTPClient(c.Client), otlptracehttp.WithTimeout(sendWithin),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression))
	if err != nil {
		return nil, fmt.Errorf("send traces to %s: %w", c.Endpoint, err)
	}
	return over(c, &watched{SpanExporter: sender, config: c}), nil
}

// over is New with an exporter of its own.
func over(c Config, exporter sdk.SpanExporter) *Traces {
	// What this process is, without asking the environment: it is the server's own to say.
	about := resource.NewSchemaless(attribute.String("service.name", c.Service), attribute.String("service.version", c.Version),
		attribute.String("service.instance.id", c.Node))
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithIDGenerator(givenIDs{}),
		sdk.WithSampler(sdk.TraceIDRatioBased(c.Ratio)),
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queued), sdk.WithExportTimeout(sendWithin)))
	return &Traces{provider: provider, tracer: provider.Tracer("fermata"), content: c.Content}
}

// Stop sends what waits.
func (t *Traces) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	if err := t.provider.Shutdown(ctx); err != nil {
		return fmt.Errorf("send the last traces: %w", err)
	}
	return nil
}

// watched tells what became of batches. The library's own way is a handler of errors that the
// whole process shares.
type watched struct {
	sdk.SpanExporter
	config Config

	mu         sync.Mutex
	complained time.Time
}

// ExportSpans sends a batch. That it failed is told here, and is no error for the library.
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
			Msg("the collector did not take traces; they are left out, and nothing else is lost")
	}
	return nil
}
