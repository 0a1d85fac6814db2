package machine

import (
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// The journal of executions: what was planned, its outcome, and what never ran.

// plan writes the executions of an answer in the journal.
func (s *step) plan(list []*domain.Execution) {
	st := &s.session.State
	for i, given := range list {
		own := *given
		x := &own
		if x.ID == "" {
			x.ID = s.newID(domain.PrefixExecution)
		}
		x.WorkspaceID, x.SessionID, x.RoundID, x.MessageID = s.session.WorkspaceID, s.session.ID, st.RoundID, st.AnswerID
		if x.CreatedAt.IsZero() {
			x.CreatedAt = s.policy.Now
		}
		if x.Status == "" {
			x.Status = domain.ExecPlanned
		}
		if x.Position == 0 {
			x.Position = i
		}
		s.planned = append(s.planned, x)
		s.write(x)
		if x.Status.Final() {
			s.commandEvent(domain.LogCommandEnded, x)
		} else {
			s.commandEvent(domain.LogCommandPlanned, x)
		}
	}
}

// write puts an execution into the change once, in its latest form.
func (s *step) write(x *domain.Execution) {
	own := *x
	for i, there := range s.change.Executions {
		if there.ID == x.ID {
			s.change.Executions[i] = &own
			return
		}
	}
	s.change.Executions = append(s.change.Executions, &own)
}

// commandEvent emits an execution's current state.
func (s *step) commandEvent(kind domain.LogType, x *domain.Execution) {
	own := *x
	s.emit(domain.LogEvent{Type: kind, Execution: &own})
}

// commandEnded writes a reported outcome, with its event.
func (s *step) commandEnded(given *domain.Execution) *domain.Execution {
	own := *given
	x := &own
	x.WorkspaceID, x.SessionID = s.session.WorkspaceID, s.session.ID
	if x.RoundID == "" {
		x.RoundID = s.session.State.RoundID
	}
	was := s.plannedByID(x.ID)
	if was != nil && was.Status.Final() {
		return x // reported when it was planned, or when it ended
	}
	s.write(x)
	if x.StartedAt != nil && (was == nil || was.Status != domain.ExecStarted) {
		started := *x
		started.Status, started.Result, started.Text, started.Error, started.EndedAt = domain.ExecStarted, nil, "", nil, nil
		s.commandEvent(domain.LogCommandStarted, &started)
	}
	settleTask(s, x)
	s.commandEvent(domain.LogCommandEnded, x)
	if was != nil {
		*was = *x
	}
	return x
}

// endedLate writes the outcome of an execution that was sent and answered with PENDING or UNKNOWN.
func (s *step) endedLate(given *domain.Execution) {
	x := *given
	if mine := s.plannedByID(x.ID); mine != nil {
		*mine = x
	}
	s.write(&x)
	s.commandEvent(domain.LogCommandEnded, &x)
}

func (s *step) plannedByID(id string) *domain.Execution {
	for _, x := range s.planned {
		if x.ID == id {
			return x
		}
	}
	return nil
}

func (s *step) anyToRun(kind domain.CommandKind) bool {
	return slices.ContainsFunc(s.planned, func(x *domain.Execution) bool {
		return x.Kind == kind && !x.Status.Final()
	})
}

// cancelPlanned ends what was planned and has not begun; what runs already reports
// its own outcome later.
func (s *step) cancelPlanned(note domain.Text) {
	for _, x := range s.planned { // agents are at work, although their calls are planned until they report
		if !x.Status.Final() && agentOf(s, x) != nil {
			x.Error = &domain.CommandError{Code: domain.CodeNotFinished, Message: "The agent was stopped while it was at work."}
			s.cancelOne(x, "")
		}
	}
	for _, x := range s.planned {
		if x.Status == domain.ExecPlanned || x.Status == domain.ExecApproved {
			s.cancelOne(x, note.In(s.language()))
		}
	}
}

func (s *step) cancelOne(x *domain.Execution, note string) {
	now := s.policy.Now
	x.Status, x.Note, x.EndedAt = domain.ExecCancelled, note, &now
	s.write(x)
	s.commandEvent(domain.LogCommandEnded, x)
}
