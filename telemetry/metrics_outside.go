package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
)

// outsideMetrics are the metrics of work delegated to external services and to agents.
type outsideMetrics struct {
	connectorCalls *prometheus.CounterVec
	connectorTime  *prometheus.HistogramVec
	deliveries     *prometheus.CounterVec
	spans          *prometheus.CounterVec
	tasksEnded     *prometheus.CounterVec
	agentRuns      *prometheus.CounterVec
}

func newOutsideMetrics(registry *prometheus.Registry) *outsideMetrics {
	m := &outsideMetrics{
		connectorCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_connector_calls_total", Help: "Connector calls.",
		}, []string{"kind", "outcome"}),
		connectorTime: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fermata_connector_call_seconds", Help: "Duration of connector calls.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300},
		}, []string{"kind"}),
		deliveries: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_webhook_deliveries_total",
			Help: "Attempts to deliver an event to a webhook, or a notification by mail or push, by outcome.",
		}, []string{"outcome"}),
		spans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_trace_spans_total", Help: "Spans sent to the trace collector, by whether it accepted them.",
		}, []string{"outcome"}),
		tasksEnded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_tasks_ended_total", Help: "Tasks of external services that ended, by status.",
		}, []string{"status"}),
		agentRuns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_agent_runs_total", Help: "Runs of agents that ended, by outcome.",
		}, []string{"outcome"}),
	}
	registry.MustRegister(m.connectorCalls, m.connectorTime, m.deliveries, m.spans, m.tasksEnded, m.agentRuns)
	return m
}

// ConnectorCalled counts a connector call. The labels are closed sets.
func (m *outsideMetrics) ConnectorCalled(kind, outcome string, took time.Duration) {
	m.connectorCalls.WithLabelValues(kind, outcome).Inc()
	m.connectorTime.WithLabelValues(kind).Observe(took.Seconds())
}

// Delivered counts attempts to deliver an event, by outcome. With 0 a counter begins.
func (m *outsideMetrics) Delivered(outcome string, attempts int) {
	m.deliveries.WithLabelValues(outcome).Add(float64(attempts))
}

// exported counts spans that were sent to the collector.
func (m *outsideMetrics) exported(spans int, err error) {
	outcome := "taken"
	if err != nil {
		outcome = "failed"
	}
	m.spans.WithLabelValues(outcome).Add(float64(spans))
}

// committedOutside counts the tasks and agents that ended in a change. A task that is only updated later,
// for example by a late report, is not counted again.
func (m *outsideMetrics) committedOutside(change *domain.Change) {
	for _, t := range change.Tasks {
		if t.Status.Over() && t.EndedAt != nil && t.EndedAt.Equal(t.UpdatedAt) {
			m.tasksEnded.WithLabelValues(string(t.Status)).Inc()
		}
	}
	for _, t := range change.Transitions {
		if t.To != domain.Completed || t.From == domain.Completed {
			continue
		}
		if s := change.Session(t.SessionID); s != nil && s.State.Agent != nil {
			m.agentRuns.WithLabelValues(string(s.AgentOutcome())).Inc()
		}
	}
}

// taskFigures reads the number of open tasks at each scrape. Like all figures it is omitted if the
// database does not respond in time.
type taskFigures func(context.Context) (map[domain.TaskStatus]int64, error)

var tasksDesc = prometheus.NewDesc("fermata_tasks", "Tasks of external services that have not ended, by status.", []string{"status"}, nil)

// Describe implements prometheus.Collector.
func (taskFigures) Describe(out chan<- *prometheus.Desc) { out <- tasksDesc }

// Collect implements prometheus.Collector.
func (f taskFigures) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	open, err := f(ctx)
	if err != nil {
		return
	}
	for _, status := range domain.TaskStatuses {
		if !status.Over() {
			out <- prometheus.MustNewConstMetric(tasksDesc, prometheus.GaugeValue, float64(open[status]), string(status))
		}
	}
}

// fileFigures reports the number of files. Counting reads all their rows, so the count is cached for five
// minutes.
type fileFigures struct {
	count func(context.Context) (files, bytes int64, err error)
	now   clock.Clock

	mu           sync.Mutex
	at           time.Time
	files, bytes int64
}

const filesCountedEvery = 5 * time.Minute

var (
	filesDesc     = prometheus.NewDesc("fermata_files", "Files stored, in all workspaces.", nil, nil)
	fileBytesDesc = prometheus.NewDesc("fermata_files_bytes", "Bytes of the contents of files, each counted once per workspace.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*fileFigures) Describe(out chan<- *prometheus.Desc) {
	out <- filesDesc
	out <- fileBytesDesc
}

// Collect implements prometheus.Collector. Figures that cannot be read are omitted.
func (f *fileFigures) Collect(out chan<- prometheus.Metric) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if now := f.now(); f.at.IsZero() || now.Sub(f.at) >= filesCountedEvery {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		files, bytes, err := f.count(ctx)
		if err != nil {
			return
		}
		f.at, f.files, f.bytes = now, files, bytes
	}
	out <- prometheus.MustNewConstMetric(filesDesc, prometheus.GaugeValue, float64(f.files))
	out <- prometheus.MustNewConstMetric(fileBytesDesc, prometheus.GaugeValue, float64(f.bytes))
}
