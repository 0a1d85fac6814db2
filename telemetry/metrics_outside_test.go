package telemetry

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/fermata-dev/fermata/domain"
)

// TestEndsOfTasksAndAgentsAreCounted once, by outcome.
func TestEndsOfTasksAndAgentsAreCounted(t *testing.T) {
	m := NewMetrics(nil, "dev", "unknown")
	at, later := time.Unix(1, 0), time.Unix(2, 0)
	agent := func(id string, reason domain.EndReason, end *domain.AgentEnd) domain.SessionWrite {
		s := &domain.Session{ID: id, Type: domain.Agent, Phase: domain.Completed, EndReason: reason}
		s.State.Agent = &domain.AgentRun{End: end}
		return domain.SessionWrite{Session: s}
	}
	ended := func(id string) *domain.Transition {
		return &domain.Transition{SessionID: id, From: domain.CallingAI, To: domain.Completed}
	}
	m.Committed(&domain.Change{
		Tasks: []*domain.Task{
			{Status: domain.TaskSucceeded, EndedAt: &at, UpdatedAt: at},
			{Status: domain.TaskExpired, EndedAt: &at, UpdatedAt: at},
			{Status: domain.TaskExpired, EndedAt: &at, UpdatedAt: later}, // a late report
			{Status: domain.TaskRunning, UpdatedAt: at},
		},
		Sessions: []domain.SessionWrite{
			agent("ses_1", domain.EndCompleted, &domain.AgentEnd{Outcome: domain.AgentCompleted}),
			agent("ses_2", domain.EndLimitReached, nil), agent("ses_3", domain.EndCancelled, nil),
			{Session: &domain.Session{ID: "ses_4", Type: domain.Run, Phase: domain.Completed}},
		},
		Transitions: []*domain.Transition{ended("ses_1"), ended("ses_2"), ended("ses_3"), ended("ses_4")},
	})
	for status, want := range map[domain.TaskStatus]float64{domain.TaskSucceeded: 1, domain.TaskExpired: 1, domain.TaskRunning: 0} {
		if got := counted(t, m.tasksEnded.WithLabelValues(string(status))); got != want {
			t.Errorf("%v tasks are %s, not %v", got, status, want)
		}
	}
	for outcome, want := range map[domain.AgentOutcome]float64{
		domain.AgentCompleted: 1, domain.AgentOutOfTurns: 0, domain.AgentFailed: 1, domain.AgentDidNothing: 1,
	} {
		if got := counted(t, m.agentRuns.WithLabelValues(string(outcome))); got != want {
			t.Errorf("%v agents ended with %s, not %v", got, outcome, want)
		}
	}
}

// TestOpenTasksAreExported by status, including statuses without a task, and omitted if the database does
// not respond.
func TestOpenTasksAreExported(t *testing.T) {
	scraped := func(f taskFigures) (n int, sum float64) {
		registry := prometheus.NewRegistry()
		registry.MustRegister(f)
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			for _, one := range family.GetMetric() {
				n, sum = n+1, sum+one.GetGauge().GetValue()
			}
		}
		return n, sum
	}
	n, sum := scraped(func(context.Context) (map[domain.TaskStatus]int64, error) {
		return map[domain.TaskStatus]int64{domain.TaskRunning: 3, domain.TaskUnknown: 1}, nil
	})
	if n != 3 || sum != 4 {
		t.Errorf("%d series with %v tasks", n, sum)
	}
	if n, _ := scraped(func(context.Context) (map[domain.TaskStatus]int64, error) { return nil, errors.New("away") }); n != 0 {
		t.Errorf("%d series although the database is unreachable", n)
	}
}

// TestFilesAreExported: their number and bytes, omitted if the database does not respond. They are counted
// again after five minutes, or after a failure.
func TestFilesAreExported(t *testing.T) {
	var away error
	counted, now := 0, time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	registry := prometheus.NewRegistry()
	registry.MustRegister(&fileFigures{now: func() time.Time { return now }, count: func(context.Context) (int64, int64, error) {
		counted++
		return int64(counted), 4096, away
	}})
	scraped := func() (got []float64) {
		t.Helper()
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			got = append(got, family.GetMetric()[0].GetGauge().GetValue())
		}
		return got
	}
	away = errors.New("away")
	if got := scraped(); len(got) != 0 {
		t.Errorf("although the database is unreachable: %v", got)
	}
	away = nil
	if got := scraped(); !slices.Equal(got, []float64{2, 4096}) {
		t.Errorf("exported are %v", got)
	}
	now = now.Add(filesCountedEvery - time.Second)
	if got := scraped(); !slices.Equal(got, []float64{2, 4096}) {
		t.Errorf("counted again too soon: %v", got)
	}
	now = now.Add(time.Second)
	if got := scraped(); !slices.Equal(got, []float64{3, 4096}) {
		t.Errorf("after five minutes: %v", got)
	}
}
