package domain

import "time"

// Suspicion counts process deaths during a session's step: the step may be the cause. It is cleared by
// progress, by a minute of survival and by a graceful stop. It is never changed in place.
type Suspicion struct {
	// Deaths in a row at which this step was being performed.
	Deaths int `json:"deaths,omitempty"`
	// EnteredAt is when the step was last taken up again; zero: not since the last death.
	EnteredAt time.Time `json:"entered_at,omitzero"`
	// ReenterAt is set while the session is set aside, without the slot: its step is not resumed before.
	ReenterAt time.Time `json:"reenter_at,omitzero"`
}

// Aside reports whether the session is set aside as a suspect.
func (s Suspicion) Aside() bool { return !s.ReenterAt.IsZero() }

// Alone reports whether its step must be the only suspect one of its process, so that another death can be
// attributed to it.
func (s Suspicion) Alone() bool { return Caution{}.After(s.Deaths).Alone }

// ClearedAt is when the process has survived the step for long enough; nil while it is
// not being performed, or nothing is held against it.
func (s Suspicion) ClearedAt(c Caution) *time.Time {
	if s.Deaths == 0 || s.EnteredAt.IsZero() {
		return nil
	}
	at := s.EnteredAt.Add(c.orUsual().Survived)
	return &at
}

// Caution is how carefully a suspect is taken up again.
type Caution struct {
	Second   time.Duration // set aside after two deaths in a row
	Third    time.Duration // and after three
	Survived time.Duration // clears it
}

// UsualCaution is that of every server.
var UsualCaution = Caution{Second: 10 * time.Second, Third: time.Minute, Survived: time.Minute}

func (c Caution) orUsual() Caution {
	if c == (Caution{}) {
		return UsualCaution
	}
	return c
}

// Reentry is how a session is taken up again after its process died.
type Reentry struct {
	Wait     time.Duration // set aside for; 0: not at all
	Alone    bool          // no other suspect beside it
	Poisoned bool          // not by itself any more: a person decides
}

// After decides how to resume a session after so many deaths in a row during its step. The zero Caution
// uses the defaults.
func (c Caution) After(deaths int) Reentry {
	c = c.orUsual()
	switch {
	case deaths < 2:
		return Reentry{}
	case deaths == 2:
		return Reentry{Wait: c.Second}
	case deaths == 3:
		return Reentry{Wait: c.Third, Alone: true}
	default:
		return Reentry{Poisoned: true}
	}
}
