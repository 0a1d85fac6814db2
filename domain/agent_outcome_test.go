package domain

import "testing"

// How the task of an agent ended that was stopped at a limit depends on whether it had done or said anything.
func TestTheOutcomeOfAnAgentAtItsLimit(t *testing.T) {
	for name, c := range map[string]struct {
		state SessionState
		want  AgentOutcome
	}{
		"only empty answers": {SessionState{Agent: &AgentRun{}}, AgentDidNothing},
		"it said something":  {SessionState{Agent: &AgentRun{}, CallState: CallState{FinalText: "I look."}}, AgentOutOfTurns},
		"it ran a command":   {SessionState{Agent: &AgentRun{}, Counters: Counters{CommandsRun: 1}}, AgentOutOfTurns},
	} {
		s := &Session{Type: Agent, EndReason: EndLimitReached, State: c.state}
		if got := s.AgentOutcome(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
