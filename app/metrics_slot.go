package app

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/scheduler/slot"
)

// slotMetrics are those of the slot and the queue.
type slotMetrics struct {
	asked       *prometheus.CounterVec
	wait        prometheus.Histogram
	preemption  prometheus.Histogram
	occurrences *prometheus.CounterVec
}

func newSlotMetrics(registry *prometheus.Registry) *slotMetrics {
	buckets := []float64{.005, .025, .1, .25, .5, 1, 5, 15, 60, 300, 1800, 3600, 4 * 3600}
	m := &slotMetrics{
		asked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_slot_requests_total", Help: "Requests for the slot, by the reason of the decision.",
		}, []string{"reason", "granted"}),
		wait: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "fermata_slot_wait_seconds",
			Help:    "Time from asking for the slot to holding it, for those who had to wait.",
			Buckets: buckets,
		}),
		preemption: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fermata_preemption_seconds", Help: "Time from a chat's request to the slot of an automation.", Buckets: buckets,
		}),
	}
	m.occurrences = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "fermata_occurrences_total", Help: "What became of scheduled instants.",
	}, []string{"state"})
	registry.MustRegister(m.asked, m.wait, m.preemption, m.occurrences)
	return m
}

// Asked is part of scheduler.Observer.
func (m *slotMetrics) Asked(reason slot.Reason, granted bool) {
	m.asked.WithLabelValues(string(reason), strconv.FormatBool(granted)).Inc()
	if granted && reason == slot.ChatPreempts {
		m.preemption.Observe(0) // in the transaction that asked
	}
}

// Waited is part of scheduler.Observer.
func (m *slotMetrics) Waited(d time.Duration, preempted bool) {
	m.wait.Observe(d.Seconds())
	if preempted {
		m.preemption.Observe(d.Seconds())
	}
}

// slotGauges reads the state of all slots and queues when it is scraped.
type slotGauges struct {
	figures func(context.Context) (domain.SlotFigures, error)
	clock   clock.Clock
}

var (
	slotActive  = prometheus.NewDesc("fermata_slot_active", "Workspaces whose slot is held.", nil, nil)
	queueDepth  = prometheus.NewDesc("fermata_queue_depth", "Sessions that queue for a slot.", nil, nil)
	queueOldest = prometheus.NewDesc("fermata_queue_oldest_seconds", "How long the longest has been queueing.", nil, nil)
)

func (g slotGauges) Describe(out chan<- *prometheus.Desc) {
	out <- slotActive
	out <- queueDepth
	out <- queueOldest
}

// Collect leaves the figures out when the database does not answer in time: a scrape
// must not hang with it.
func (g slotGauges) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	f, err := g.figures(ctx)
	if err != nil {
		return
	}
	var oldest time.Duration
	if !f.Oldest.IsZero() {
		oldest = max(0, g.clock().Sub(f.Oldest))
	}
	out <- prometheus.MustNewConstMetric(slotActive, prometheus.GaugeValue, float64(f.Held))
	out <- prometheus.MustNewConstMetric(queueDepth, prometheus.GaugeValue, float64(f.Queued))
	out <- prometheus.MustNewConstMetric(queueOldest, prometheus.GaugeValue, oldest.Seconds())
}
