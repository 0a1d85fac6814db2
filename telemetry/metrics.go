package telemetry

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/automation"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// Metrics are what Prometheus scrapes: base units, no ids in labels, bounded sets of label values.
// Text that a model or an API client chose is never a label value: it could leak data to anyone who
// can scrape, and grow the number of series without limit.
type Metrics struct {
	registry    *prometheus.Registry
	names       *commandNames
	transitions *prometheus.CounterVec
	phases      *prometheus.HistogramVec
	calls       *prometheus.CounterVec
	callTime    *prometheus.HistogramVec
	firstToken  *prometheus.HistogramVec
	tokens      *prometheus.CounterVec
	executions  *prometheus.CounterVec
	execTime    *prometheus.HistogramVec
	perRound    prometheus.Histogram
	rounds      prometheus.Histogram
	commits     prometheus.Histogram
	perAnswer   prometheus.Histogram
	limits      *prometheus.CounterVec
	approvals   *prometheus.CounterVec
	fenced      prometheus.Counter
	recoveries  prometheus.Counter
	guarded     *prometheus.CounterVec
	resets      prometheus.Counter
	connections prometheus.Gauge
	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec
	signIns     *prometheus.CounterVec
	*slotMetrics
	*outsideMetrics
	*promptMetrics
}

// NewMetrics registers the metrics of a process; commands are those that are built in.
func NewMetrics(commands []domain.CommandSpec, version, commit string) *Metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "fermata_" + name, Help: help}, labels)
	}
	seconds := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "fermata_" + name, Help: help, Buckets: buckets}, labels)
	}
	plain := func(name, help string, buckets []float64) prometheus.Histogram {
		return prometheus.NewHistogram(prometheus.HistogramOpts{Name: "fermata_" + name, Help: help, Buckets: buckets})
	}
	short := []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}
	long := []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}
	counts := []float64{1, 2, 3, 5, 8, 13, 20, 50}
	m := &Metrics{
		registry:    prometheus.NewRegistry(),
		names:       newCommandNames(commands),
		transitions: counter("phase_transitions_total", "Transitions of the state machine.", "from", "to"),
		phases:      seconds("phase_seconds", "Time spent in a phase before it was left.", long, "phase"),
		calls:       counter("ai_calls_total", "AI calls.", "provider", "outcome"),
		callTime:    seconds("ai_call_seconds", "Duration of AI calls.", long, "provider"),
		firstToken:  seconds("ai_first_token_seconds", "Time to the first token of streamed calls.", long, "provider"),
		tokens:      counter("ai_tokens_total", "Tokens used.", "provider", "model", "kind"),
		executions:  counter("command_executions_total", "Commands that ended.", "command", "class", "outcome"),
		execTime:    seconds("command_seconds", "Duration of commands.", short, "command"),
		perRound:    plain("roundtrips_per_round", "AI calls in a round.", counts),
		rounds:      plain("round_seconds", "Time from the start of a round until it ends or waits for a person.", long),
		commits:     plain("commit_seconds", "Duration of COMMIT. On SQLite several transactions may share one.", short),
		perAnswer:   plain("commands_per_answer", "Commands per answer that has any.", counts),
		limits:      counter("limits_reached_total", "Rounds that a limit ended or suspended until a person decides.", "limit"),
		approvals:   counter("approvals_total", "Approvals settled.", "result"),
		fenced: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_fenced_writes_total",
			Help: "Writes refused because another writer was faster."}),
		recoveries: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_recoveries_total",
			Help: "Active sessions that were recovered."}),
		guarded: counter("loop_guard_total", "Commands answered from an earlier result instead of being run again (query, action), "+
			"and rounds stopped in a loop (same_answer, same_call, alternating).", "kind"),
		resets: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_sse_resets_total",
			Help: "Event streams whose cursor was invalid or expired."}),
		connections: prometheus.NewGauge(prometheus.GaugeOpts{Name: "fermata_sse_connections", Help: "Open event streams."}),
		signIns:     counter("sign_ins_total", "Sign-in attempts of people.", "method", "outcome"),
		requests:    counter("http_requests_total", "HTTP requests.", "method", "route", "code"),
		requestTime: seconds("http_request_seconds", "Duration of HTTP requests.", short, "method", "route"),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "fermata_build_info", Help: "1, with the version as label.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.transitions, m.phases, m.calls, m.callTime, m.firstToken, m.tokens, m.executions, m.execTime,
		m.perRound, m.rounds, m.commits, m.perAnswer, m.limits, m.approvals, m.fenced, m.recoveries, m.guarded,
		m.resets, m.connections, m.signIns, m.requests, m.requestTime, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.slotMetrics, m.outsideMetrics = newSlotMetrics(m.registry), newOutsideMetrics(m.registry)
	m.promptMetrics = newPromptMetrics(m.registry)
	return m
}

// Page serves /metrics.
func (m *Metrics) Page() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// Committed counts the content of a change.
func (m *Metrics) Committed(change *domain.Change) {
	m.committedOutside(change)
	for _, t := range change.Transitions {
		m.transitions.WithLabelValues(string(t.From), string(t.To)).Inc()
	}
	for _, a := range change.Approvals {
		if a.Status != domain.ApprovalStatusOpen {
			m.approvals.WithLabelValues(string(a.Status)).Inc()
		}
	}
	for _, o := range automation.Occurrences(change) {
		m.occurrences.WithLabelValues(string(o.State)).Inc()
	}
	for _, limit := range change.Limits {
		m.limits.WithLabelValues(limit).Inc()
	}
	for _, reason := range change.Discarded {
		m.discarded.WithLabelValues(reason).Inc()
	}
	for _, kind := range change.Circles {
		m.guarded.WithLabelValues(kind).Inc()
	}
	for _, msg := range change.Messages {
		if msg.AI != nil && len(msg.AI.DataCommands)+len(msg.AI.ActionCommands) > 0 {
			m.perAnswer.Observe(float64(len(msg.AI.DataCommands) + len(msg.AI.ActionCommands)))
		}
	}
}

// otherLabel replaces every value outside a bounded set.
const otherLabel = "other"

// model maps a model's name to a label value: its entry in the built-in price list.
func (m *Metrics) model(name string) string {
	if entry, ok := domain.PricedModel(name); ok {
		return entry
	}
	return otherLabel
}

// outcome maps the outcome of an AI call to a label value: an error class may come from a provider's
// configuration.
func (m *Metrics) outcome(name string) string {
	if providers.Class(name).Known() || name == domain.OutcomeAnswered || name == domain.OutcomeCut {
		return name
	}
	return otherLabel
}

// method maps an HTTP method to a label value: a client can send any token.
func (m *Metrics) method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return otherLabel
}

// AICall implements orchestrator.Observer.
func (m *Metrics) AICall(provider, outcome string, took, firstToken time.Duration, usage domain.Usage, model string) {
	model, outcome = m.model(model), m.outcome(outcome)
	m.calls.WithLabelValues(provider, outcome).Inc()
	m.callTime.WithLabelValues(provider).Observe(took.Seconds())
	if firstToken > 0 {
		m.firstToken.WithLabelValues(provider).Observe(firstToken.Seconds())
	}
	for kind, n := range map[string]int64{
		"input": usage.InputTokens, "output": usage.OutputTokens,
		"cache_read": usage.CacheReadTokens, "cache_write": usage.CacheWriteTokens,
	} {
		if n > 0 {
			m.tokens.WithLabelValues(provider, model, kind).Add(float64(n))
		}
	}
	if usage.Cost != nil && *usage.Cost > 0 {
		m.cost.WithLabelValues(provider, model).Add(*usage.Cost)
	}
}

// Executed implements orchestrator.Observer.
func (m *Metrics) Executed(e *domain.Execution) {
	command := m.names.label(e)
	m.executions.WithLabelValues(command, string(e.Kind), string(e.Status)).Inc()
	if e.Status == domain.ExecCached {
		m.guarded.WithLabelValues(string(e.Kind)).Inc()
	}
	if e.StartedAt != nil && e.EndedAt != nil {
		m.execTime.WithLabelValues(command).Observe(e.EndedAt.Sub(*e.StartedAt).Seconds())
	}
}

// PhaseLeft implements orchestrator.Observer.
func (m *Metrics) PhaseLeft(phase domain.Phase, after time.Duration) {
	m.phases.WithLabelValues(string(phase)).Observe(after.Seconds())
}

// RoundEnded implements orchestrator.Observer.
func (m *Metrics) RoundEnded(roundtrips int, took time.Duration) {
	m.perRound.Observe(float64(roundtrips))
	m.rounds.Observe(took.Seconds())
}

// Timed measures each COMMIT; around is the hook of a test, or nil.
func (m *Metrics) Timed(now clock.Clock, around func(commit func() error) error) func(commit func() error) error {
	return func(commit func() error) error {
		begun := now()
		defer func() { m.commits.Observe(now().Sub(begun).Seconds()) }()
		if around != nil {
			return around(commit)
		}
		return commit()
	}
}

// Fenced implements orchestrator.Observer.
func (m *Metrics) Fenced() { m.fenced.Inc() }

// Request implements handlers.Metrics.
func (m *Metrics) Request(route, method string, status int, took time.Duration) {
	method = m.method(method)
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requestTime.WithLabelValues(method, route).Observe(took.Seconds())
}

// Stream implements handlers.Metrics.
func (m *Metrics) Stream(delta int) { m.connections.Add(float64(delta)) }

// SignIn implements handlers.Metrics.
func (m *Metrics) SignIn(method, outcome string) { m.signIns.WithLabelValues(method, outcome).Inc() }

// StreamReset implements handlers.Metrics.
func (m *Metrics) StreamReset() { m.resets.Inc() }

// Recovered counts a session that was recovered after its process died.
func (m *Metrics) Recovered() { m.recoveries.Inc() }

// Register adds metrics that another part of the server exports.
func (m *Metrics) Register(c prometheus.Collector) { m.registry.MustRegister(c) }

// Gauge adds a gauge that is read at each scrape.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}
