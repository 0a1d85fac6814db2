package app

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fermata-dev/fermata/domain"
)

// outsideMetrics are those of work that others do for a session: services and agents.
type outsideMetrics struct {
	tasksEnded *prometheus.CounterVec
	agentRuns  *prometheus.CounterVec
}

func newOutsideMetrics(registry *prometheus.Registry) *outsideMetrics {
	m := &outsideMetrics{
		tasksEnded: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_tasks_ended_total", Help: "Tasks of services outside that ended, by how.",
		}, []string{"status"}),
		agentRuns: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fermata_agent_runs_total", Help: "Runs of agents that ended, by what they came to.",
		}, []string{"outcome"}),
	}
	registry.MustRegister(m.tasksEnded, m.agentRuns)
	return m
}

// committedOutside counts what a change says of tasks and agents that ended by it. A task that
// is written later, with a late report say, has ended before.
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

// taskFigures reads the tasks that go on when they are scraped. If the database does not answer in
// time they are left out, as all figures are.
type taskFigures func(context.Context) (map[domain.TaskStatus]int64, error)

var tasksDesc = prometheus.NewDesc("fermata_tasks", "Tasks of services outside that have not ended, by status.", []string{"status"}, nil)

// Describe is part of prometheus.Collector.
func (taskFigures) Describe(out chan<- *prometheus.Desc) { out <- tasksDesc }

// Collect is part of prometheus.Collector.
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

// fileFigures reads how many files there are when they are scraped, as taskFigures does.
type fileFigures func(context.Context) (files, bytes int64, err error)

var (
	filesDesc     = prometheus.NewDesc("fermata_files", "Files that are stored, in all workspaces.", nil, nil)
	fileBytesDesc = prometheus.NewDesc("fermata_files_bytes", "Bytes of the contents of files, each counted once for a workspace.", nil, nil)
)

// Describe is part of prometheus.Collector.
func (fileFigures) Describe(out chan<- *prometheus.Desc) {
	out <- filesDesc
	out <- fileBytesDesc
}

// Collect is part of prometheus.Collector.
func (f fileFigures) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	files, bytes, err := f(ctx)
	if err != nil {
		return
	}
	out <- prometheus.MustNewConstMetric(filesDesc, prometheus.GaugeValue, float64(files))
	out <- prometheus.MustNewConstMetric(fileBytesDesc, prometheus.GaugeValue, float64(bytes))
}
