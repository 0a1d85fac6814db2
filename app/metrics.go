package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/providers"
)

// metrics are what Prometheus scrapes: base units, no ids in labels, closed sets of
// label values. Nothing that a workspace, a model or a caller chose is a label: it would
// tell one workspace's words to whoever scrapes, and make as many series as somebody likes.
type metrics struct {
	registry    *prometheus.Registry
	commands    map[string]bool // names that a label may carry
	transitions *prometheus.CounterVec
	phases      *prometheus.HistogramVec
	calls       *prometheus.CounterVec
	callTime    *prometheus.HistogramVec
	firstToken  *prometheus.HistogramVec
	tokens      *prometheus.CounterVec
	cost        *prometheus.CounterVec
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
}

func newMetrics(commands []domain.CommandSpec, version, commit string) *metrics {
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
	m := &metrics{
		registry:    prometheus.NewRegistry(),
		commands:    map[string]bool{},
		transitions: counter("phase_transitions_total", "Transitions of the state machine.", "from", "to"),
		phases:      seconds("phase_seconds", "Time spent in a phase before it was left.", long, "phase"),
		calls:       counter("ai_calls_total", "Calls of the AI.", "provider", "outcome"),
		callTime:    seconds("ai_call_seconds", "Duration of calls of the AI.", long, "provider"),
		firstToken:  seconds("ai_first_token_seconds", "Time to the first token of streamed calls.", long, "provider"),
		tokens:      counter("ai_tokens_total", "Tokens used.", "provider", "model", "kind"),
		cost:        counter("ai_cost_total", "Cost of calls of the AI in US dollars.", "provider", "model"),
		executions:  counter("command_executions_total", "Commands that ended.", "command", "class", "outcome"),
		execTime:    seconds("command_seconds", "Duration of commands.", short, "command"),
		perRound:    plain("roundtrips_per_round", "Calls of the AI in a round.", counts),
		rounds:      plain("round_seconds", "Time from a round's cause to its end or its wait for a person.", long),
		commits:     plain("commit_seconds", "Duration of COMMIT. On SQLite several transactions may share one.", short),
		perAnswer:   plain("commands_per_answer", "Commands in an answer that has any.", counts),
		limits:      counter("limits_reached_total", "Rounds that a limit ended, or stopped for a person's decision.", "limit"),
		approvals:   counter("approvals_total", "Approvals settled.", "result"),
		fenced: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_fenced_writes_total",
			Help: "Writes refused because somebody else had moved on."}),
		recoveries: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_recoveries_total",
			Help: "Sessions at work that were taken up again."}),
		guarded: counter("loop_guard_total", "Commands answered from before instead of being run again (query, action), "+
			"and rounds found going in circles (same_answer, same_call, alternating).", "kind"),
		resets: prometheus.NewCounter(prometheus.CounterOpts{Name: "fermata_sse_resets_total",
			Help: "Event streams whose cursor was of no use."}),
		connections: prometheus.NewGauge(prometheus.GaugeOpts{Name: "fermata_sse_connections", Help: "Open event streams."}),
		signIns:     counter("sign_ins_total", "Attempts of people to sign in.", "method", "outcome"),
		requests:    counter("http_requests_total", "HTTP requests.", "method", "route", "code"),
		requestTime: seconds("http_request_seconds", "Duration of HTTP requests.", short, "method", "route"),
	}
	m.names(commands)
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "fermata_build_info", Help: "1, with the version as label.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit},
	})
	build.Set(1)
	m.registry.MustRegister(
		m.transitions, m.phases, m.calls, m.callTime, m.firstToken, m.tokens, m.cost, m.executions, m.execTime,
		m.perRound, m.rounds, m.commits, m.perAnswer, m.limits, m.approvals, m.fenced, m.recoveries, m.guarded,
		m.resets, m.connections, m.signIns, m.requests, m.requestTime, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.slotMetrics, m.outsideMetrics = newSlotMetrics(m.registry), newOutsideMetrics(m.registry)
	return m
}

func (m *metrics) names(commands []domain.CommandSpec) {
	for _, spec := range commands {
		m.commands[spec.Name] = true
	}
}

// page serves /metrics.
func (m *metrics) page() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// committed counts what a change says.
func (m *metrics) committed(change *domain.Change) {
	m.committedOutside(change)
	for _, t := range change.Transitions {
		m.transitions.WithLabelValues(string(t.From), string(t.To)).Inc()
	}
	for _, a := range change.Approvals {
		if a.Status != domain.ApprovalStatusOpen {
			m.approvals.WithLabelValues(string(a.Status)).Inc()
		}
	}
	for _, o := range change.Occurrences {
		m.occurrences.WithLabelValues(string(o.State)).Inc()
	}
	for _, limit := range change.Limits {
		m.limits.WithLabelValues(limit).Inc()
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

// otherLabel stands for every value outside a closed set.
const otherLabel = "other"

// command is a command's name as a label: a model can ask for any name.
func (m *metrics) command(name string) string {
	if m.commands[name] {
		return name
	}
	return otherLabel
}

// model is a model's name as a label: that of the entry of the built-in price list.
func (m *metrics) model(name string) string {
	if entry, ok := domain.PricedModel(name); ok {
		return entry
	}
	return otherLabel
}

// outcome is how a call of the AI ended, as a label: a class may come from a provider's
// own config.
func (m *metrics) outcome(name string) string {
	if providers.Class(name).Known() || name == domain.OutcomeAnswered || name == domain.OutcomeCut {
		return name
	}
	return otherLabel
}

// method is an HTTP method as a label: a caller can send any token.
func (m *metrics) method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return name
	}
	return otherLabel
}

// AICall is part of orchestrator.Observer.
func (m *metrics) AICall(provider, outcome string, took, firstToken time.Duration, usage domain.Usage, model string) {
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

// Executed is part of orchestrator.Observer.
func (m *metrics) Executed(e *domain.Execution) {
	command := m.command(e.Command)
	m.executions.WithLabelValues(command, string(e.Kind), string(e.Status)).Inc()
	if e.Status == domain.ExecCached {
		m.guarded.WithLabelValues(string(e.Kind)).Inc()
	}
	if e.StartedAt != nil && e.EndedAt != nil {
		m.execTime.WithLabelValues(command).Observe(e.EndedAt.Sub(*e.StartedAt).Seconds())
	}
}

// PhaseLeft is part of orchestrator.Observer.
func (m *metrics) PhaseLeft(phase domain.Phase, after time.Duration) {
	m.phases.WithLabelValues(string(phase)).Observe(after.Seconds())
}

// RoundEnded is part of orchestrator.Observer.
func (m *metrics) RoundEnded(roundtrips int, took time.Duration) {
	m.perRound.Observe(float64(roundtrips))
	m.rounds.Observe(took.Seconds())
}

// timed measures each COMMIT, around what a test does to it.
func (m *metrics) timed(now clock.Clock, around func(commit func() error) error) func(commit func() error) error {
	return func(commit func() error) error {
		begun := now()
		defer func() { m.commits.Observe(now().Sub(begun).Seconds()) }()
		if around != nil {
			return around(commit)
		}
		return commit()
	}
}

// Fenced is part of orchestrator.Observer.
func (m *metrics) Fenced() { m.fenced.Inc() }

// Request is part of handlers.Metrics.
func (m *metrics) Request(route, method string, status int, took time.Duration) {
	method = m.method(method)
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.requestTime.WithLabelValues(method, route).Observe(took.Seconds())
}

// Stream is part of handlers.Metrics.
func (m *metrics) Stream(delta int) { m.connections.Add(float64(delta)) }

// SignIn is part of handlers.Metrics.
func (m *metrics) SignIn(method, outcome string) { m.signIns.WithLabelValues(method, outcome).Inc() }

// StreamReset is part of handlers.Metrics.
func (m *metrics) StreamReset() { m.resets.Inc() }
