package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler/automations"
)

// series counts what a scrape would give, and fails on a label that holds any of the words.
func series(t *testing.T, m *Metrics, words ...string) int {
	t.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, family := range families {
		for _, one := range family.GetMetric() {
			count++
			for _, label := range one.GetLabel() {
				for _, word := range words {
					if strings.Contains(label.GetValue(), word) {
						t.Errorf("%s{%s=%q}", family.GetName(), label.GetName(), label.GetValue())
					}
				}
			}
		}
	}
	return count
}

// counted is the value of a counter.
func counted(t *testing.T, c prometheus.Counter) float64 {
	t.Helper()
	var read dto.Metric
	if err := c.Write(&read); err != nil {
		t.Fatal(err)
	}
	return read.GetCounter().GetValue()
}

// TestExternalCommandsAreLabels: commands of connectors and agents are counted by name, up to a bound;
// beyond it they share "other". A name that a model invented is never a label.
func TestExternalCommandsAreLabels(t *testing.T) {
	m := NewMetrics(commands.New(data.NewRules(), automations.Drafts{}).Specs(), "dev", "unknown")
	run := func(name string, foreign *domain.Foreign) {
		m.Executed(&domain.Execution{Command: name, Kind: domain.KindAction, Status: domain.ExecSuccess, Foreign: foreign,
			StartedAt: &time.Time{}, EndedAt: &time.Time{}})
	}
	count := func(name string) float64 {
		t.Helper()
		return counted(t, m.executions.WithLabelValues(name, string(domain.KindAction), string(domain.ExecSuccess)))
	}
	external := &domain.Foreign{}
	for range 2 {
		run("SHOP.ORDER", external)
		run("AGENT.CONTEXT_MANAGER", external)
	}
	run("SHOP.INVENTED", nil)
	for name, want := range map[string]float64{"SHOP.ORDER": 2, "AGENT.CONTEXT_MANAGER": 2, "SHOP.INVENTED": 0, otherLabel: 1} {
		if got := count(name); got != want {
			t.Errorf("%s was counted %v times, not %v", name, got, want)
		}
	}
	for i := range 2 * maxExternalLabels {
		run(fmt.Sprintf("MANY.C%d", i), external)
	}
	run("SHOP.ORDER", external)
	if got := count("SHOP.ORDER"); got != 3 {
		t.Errorf("a name within the bound was counted %v times after it was reached, not 3", got)
	}
	if got, want := count(otherLabel), float64(1+maxExternalLabels+2); got != want {
		t.Errorf("other was counted %v times, not %v", got, want)
	}
}

func TestNothingThatATenantOrACallerChoseIsALabel(t *testing.T) {
	m := NewMetrics(commands.New(data.NewRules(), automations.Drafts{}).Specs(), "dev", "unknown")
	cost := 0.5
	observe := func(name string) {
		m.AICall("openai", domain.OutcomeAnswered, time.Second, time.Second, domain.Usage{InputTokens: 1, OutputTokens: 1, Cost: &cost}, name)
		m.AICall("script", name, time.Second, 0, domain.Usage{}, "") // a script may name any class
		m.Executed(&domain.Execution{Command: name, Kind: domain.KindAction, Status: domain.ExecFailed, StartedAt: &time.Time{}, EndedAt: &time.Time{}})
		m.Request("/v1/zones", name, 405, time.Second)
	}
	observe("TENANT-first")
	before := series(t, m, "TENANT")
	for i := range 30 {
		observe(fmt.Sprintf("TENANT-%d\"\n\\x", i))
		observe(fmt.Sprintf("gpt-5-mini-TENANT-%d", i)) // fits a pattern of the price list
		observe(fmt.Sprintf("gpt-5-mini-%d", i))
	}
	if after := series(t, m, "TENANT"); after > before+4 { // input, output and cost of gpt-5-mini, once
		t.Errorf("%d series became %d", before, after)
	}
}

func TestModelsOfThePriceListAndKnownCommandsAreLabels(t *testing.T) {
	m := NewMetrics(commands.New(data.NewRules(), automations.Drafts{}).Specs(), "dev", "unknown")
	m.AICall("openai", domain.OutcomeAnswered, time.Second, 0, domain.Usage{InputTokens: 7}, "gpt-4o-2024-11-20")
	m.AICall("openai", domain.OutcomeAnswered, time.Second, 0, domain.Usage{InputTokens: 5}, "gpt-5-2026-01-01")
	started := time.Now()
	ended := started.Add(1700 * time.Microsecond)
	m.Executed(&domain.Execution{Command: "ZONES", Kind: domain.KindQuery, Status: domain.ExecSuccess, StartedAt: &started, EndedAt: &ended})
	for model, tokens := range map[string]float64{"gpt-4o-2024-11-20": 7, "gpt-5": 5} {
		if got := counted(t, m.tokens.WithLabelValues("openai", model, "input")); got != tokens {
			t.Errorf("%s: %v tokens, not %v", model, got, tokens)
		}
	}
	if got := counted(t, m.executions.WithLabelValues("ZONES", string(domain.KindQuery), string(domain.ExecSuccess))); got != 1 {
		t.Errorf("ZONES was counted %v times", got)
	}
}

// TestLimitsAreCountedByName: which limit ended a round, and which circle a model was
// found in, as the machine says.
func TestLimitsAreCountedByName(t *testing.T) {
	m := NewMetrics(nil, "dev", "unknown")
	m.Committed(&domain.Change{
		Unstored: domain.Unstored{Limits: []string{"max_commands_per_session", "going_in_circles"}, Circles: []string{"same_call"}, Discarded: []string{domain.CutByStop}},
		Messages: []*domain.Message{{System: &domain.SystemMessage{Type: domain.SystemLimitReached}}},
	})
	for _, limit := range []string{"max_commands_per_session", "going_in_circles"} {
		if got := counted(t, m.limits.WithLabelValues(limit)); got != 1 {
			t.Errorf("%s was counted %v times", limit, got)
		}
	}
	if got := counted(t, m.guarded.WithLabelValues("same_call")); got != 1 {
		t.Errorf("same_call was counted %v times", got)
	}
	if got := counted(t, m.discarded.WithLabelValues(domain.CutByStop)); got != 1 {
		t.Errorf("a discarded call was counted %v times", got)
	}
	if got := counted(t, m.limits.WithLabelValues("round")); got != 0 {
		t.Errorf("a limit without a name was counted %v times", got)
	}
}
