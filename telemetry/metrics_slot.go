package telemetry

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/reports"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// slotMetrics are the metrics of the slot and the queue.
type slotMetrics struct {
	asked       *prometheus.CounterVec
	wait        prometheus.Histogram
	preemption  prometheus.Histogram
	occurrences *prometheus.CounterVec
	discarded   *prometheus.CounterVec
}

func newSlotMetrics(registry *prometheus.Registry) *slotMetrics {
	buckets := []float64{.005, .025, .1, .25, .5, 1, 5, 15, 60, 300, 1800, 3600, 4 * 3600}
	m := &slotMetrics{
		asked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_slot_requests_total", Help: "Requests for the slot, by the reason of the decision.",
		}, []string{"reason", "granted"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "fermata_slot_wait_seconds",
			Help:    "Time from requesting the slot to holding it, for sessions that had to wait.",
			Buckets: buckets,
		}),
		preemption: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fermata_preemption_seconds", Help: "Time from a chat's request to the slot of an automation.", Buckets: buckets,
		}),
	}
	m.occurrences = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "fermata_occurrences_total", Help: "Scheduled occurrences by outcome.",
	}, []string{"state"})
	m.discarded = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "fermata_calls_discarded_total", Help: "AI calls that were cut while they were under way; they may have been paid for.",
	}, []string{"reason"})
	for _, reason := range domain.CutReasons { // shown from the start, with 0
		m.discarded.WithLabelValues(reason)
	}
	registry.MustRegister(m.asked, m.wait, m.preemption, m.occurrences, m.discarded)
	return m
}

// Asked implements scheduler.Observer.
func (m *slotMetrics) Asked(reason slot.Reason, granted bool) {
	m.asked.WithLabelValues(string(reason), strconv.FormatBool(granted)).Inc()
	if granted && reason == slot.ChatPreempts {
		m.preemption.Observe(0) // within the requesting transaction
	}
}

// Waited implements scheduler.Observer.
func (m *slotMetrics) Waited(d time.Duration, preempted bool) {
	m.wait.Observe(d.Seconds())
	if preempted {
		m.preemption.Observe(d.Seconds())
	}
}

// Figures are read from the database at each scrape.
type Figures struct {
	Slot  func(context.Context) (reports.Figures, error)
	Tasks func(context.Context) (map[domain.TaskStatus]int64, error) // open tasks
	Files func(context.Context) (files, bytes int64, err error)
	Clock clock.Clock
}

// RegisterFigures adds the figures of the database.
func (m *Metrics) RegisterFigures(f Figures) {
	m.registry.MustRegister(taskFigures(f.Tasks), &fileFigures{count: f.Files, now: f.Clock}, figures{f.Slot, f.Clock})
}

// figures reads the state of slots, queues, approvals and database at each scrape.
type figures struct {
	read  func(context.Context) (reports.Figures, error)
	clock clock.Clock
}

// figureMetrics exports the figures as gauges. An age is 0 when nothing is waiting.
var figureMetrics = []struct {
	desc  *prometheus.Desc
	value func(f *reports.Figures, age func(time.Time) float64) float64
}{
	{prometheus.NewDesc("fermata_slot_active", "Workspaces whose slot is held.", nil, nil),
		func(f *reports.Figures, _ func(time.Time) float64) float64 { return float64(f.Held) }},
	{prometheus.NewDesc("fermata_slot_holder_oldest_seconds", "How long the longest-held slot has been held.", nil, nil),
		func(f *reports.Figures, age func(time.Time) float64) float64 { return age(f.HeldSince) }},
	{prometheus.NewDesc("fermata_queue_depth", "Sessions queued for a slot.", nil, nil),
		func(f *reports.Figures, _ func(time.Time) float64) float64 { return float64(f.Queued) }},
	{prometheus.NewDesc("fermata_queue_oldest_seconds", "How long the oldest of them has been queued.", nil, nil),
		func(f *reports.Figures, age func(time.Time) float64) float64 { return age(f.Oldest) }},
	{prometheus.NewDesc("fermata_approvals_open", "Open approvals and questions.", nil, nil),
		func(f *reports.Figures, _ func(time.Time) float64) float64 { return float64(f.Approvals) }},
	{prometheus.NewDesc("fermata_approvals_oldest_seconds", "How long the oldest of them has been waiting.", nil, nil),
		func(f *reports.Figures, age func(time.Time) float64) float64 { return age(f.AskedSince) }},
	{prometheus.NewDesc("fermata_database_bytes", "Size of the database.", nil, nil),
		func(f *reports.Figures, _ func(time.Time) float64) float64 { return float64(f.Bytes) }},
}

// Describe implements prometheus.Collector.
func (figures) Describe(out chan<- *prometheus.Desc) {
	for _, m := range figureMetrics {
		out <- m.desc
	}
}

// Collect omits the figures when the database does not respond in time, so that a scrape does not
// hang.
func (g figures) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	f, err := g.read(ctx)
	if err != nil {
		return
	}
	now := g.clock()
	age := func(since time.Time) float64 {
		if since.IsZero() {
			return 0
		}
		return max(0, now.Sub(since).Seconds())
	}
	for _, m := range figureMetrics {
		out <- prometheus.MustNewConstMetric(m.desc, prometheus.GaugeValue, m.value(&f, age))
	}
}
