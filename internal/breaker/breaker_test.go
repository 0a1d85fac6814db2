package breaker

import (
	"testing"
	"time"
)

var policy = Policy{Failures: 3, OpenFor: 10 * time.Second, MaxOpen: time.Minute}

var start = time.Unix(1_800_000_000, 0)

// enter expects a decision.
func enter(t *testing.T, b *Breaker, now time.Time, want Permission) Permission {
	t.Helper()
	got := b.Enter(policy, now)
	if got != want {
		t.Fatalf("the permission is %d, want %d, in %+v", got, want, b)
	}
	return got
}

// fail lets so many calls fail.
func fail(t *testing.T, b *Breaker, now time.Time, times int) {
	t.Helper()
	for range times {
		b.Fail(policy, enter(t, b, now, Allowed), now)
	}
}

func TestItOpensAfterFailuresInARow(t *testing.T) {
	b := &Breaker{}
	fail(t, b, start, 2)
	b.Succeed(enter(t, b, start, Allowed))
	fail(t, b, start, 2)
	if state := b.State(policy, start); state != Closed || b.Failures() != 2 {
		t.Errorf("%s after %d failures", state, b.Failures())
	}
	fail(t, b, start, 1)
	enter(t, b, start.Add(10*time.Second-1), Refused)
	if state := b.State(policy, start); state != Open || !b.Until().Equal(start.Add(10*time.Second)) {
		t.Errorf("%s until %s", state, b.Until())
	}
	if state := b.State(policy, b.Until()); state != HalfOpen {
		t.Errorf("%s at the end of the open period", state)
	}
}

func TestEachFailedProbeDoublesTheOpenPeriod(t *testing.T) {
	b := &Breaker{}
	fail(t, b, start, 3)
	now := b.Until()
	for _, want := range []time.Duration{20 * time.Second, 40 * time.Second, time.Minute, time.Minute} {
		b.Fail(policy, enter(t, b, now, Probe), now)
		if got := b.Until().Sub(now); got != want {
			t.Errorf("it is open for %s, want %s", got, want)
		}
		now = b.Until()
	}
	b.Succeed(enter(t, b, now, Probe))
	fail(t, b, now, 3)
	if got := b.Until().Sub(now); got != 10*time.Second {
		t.Errorf("after a success it is open for %s, want 10s", got)
	}
}

func TestOneCallIsTheProbe(t *testing.T) {
	b := &Breaker{}
	early := enter(t, b, start, Allowed)
	fail(t, b, start, 3)
	now := b.Until()
	probe := enter(t, b, now, Probe)
	enter(t, b, now, Busy)
	b.Skip(early) // it was cancelled, and is not the probe
	enter(t, b, now, Busy)
	b.Skip(probe)
	enter(t, b, now, Probe)
}

func TestAPauseNeverShortensAnOpenPeriod(t *testing.T) {
	b := &Breaker{}
	b.Pause(start.Add(time.Minute))
	b.Pause(start.Add(time.Second))
	enter(t, b, start.Add(59*time.Second), Refused)
	enter(t, b, start.Add(time.Minute), Allowed) // a pause is no failure
}
