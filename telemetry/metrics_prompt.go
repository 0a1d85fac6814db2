package telemetry

import "github.com/prometheus/client_golang/prometheus"

// promptMetrics are about what the AI is sent, and what it costs.
type promptMetrics struct {
	prefixes *prometheus.HistogramVec
	cost     *prometheus.CounterVec
}

func newPromptMetrics(registry *prometheus.Registry) *promptMetrics {
	m := &promptMetrics{prefixes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "fermata_prompt_prefix_reused_ratio", Help: "Share of a prompt that is the beginning of the session's prompt before.",
		Buckets: []float64{.1, .25, .5, .75, .9, .95, .99, 1},
	}, []string{"provider"}), cost: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "fermata_ai_cost_total", Help: "Cost of AI calls in US dollars.",
	}, []string{"provider", "model"})}
	registry.MustRegister(m.prefixes, m.cost)
	return m
}

// PrefixReused implements orchestrator.Observer.
func (m *promptMetrics) PrefixReused(provider string, ratio float64) {
	m.prefixes.WithLabelValues(provider).Observe(ratio)
}
