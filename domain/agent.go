package domain

import (
	"strings"
	"time"
	"unicode"
)

// Bounds of a definition.
const (
	AgentMaxTurns    = 7
	AgentTokenBudget = 15_000
	// AgentCommandPrefix is the prefix of commands that call an agent.
	AgentCommandPrefix = "AGENT."
	// AgentMaxDepth is how deep agents may call one another: an agent that an agent called
	// calls no further one.
	AgentMaxDepth = 2
	// AgentsAtOnce is how many agents one answer may call.
	AgentsAtOnce = 4
	// AgentMaxActive is how long an agent may work in total.
	AgentMaxActive = 5 * time.Minute
	// AgentAnswerTokens bounds each of its answers.
	AgentAnswerTokens = 1024
)

// AgentCommandName is an agent's name as a part of a command's: upper case, words parted
// by an underscore.
func AgentCommandName(name string) string {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsDigit(before)) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
		before = r
	}
	return b.String()
}

// CallsAgent reports whether a command calls an agent.
func CallsAgent(command string) bool { return strings.HasPrefix(command, AgentCommandPrefix) }

// AgentSessionID is the id of the session that carries out an execution. It follows from
// the execution's, so that a call that is made again finds the session that it began.
func AgentSessionID(execution string) string {
	_, unique, _ := strings.Cut(execution, "_")
	return PrefixSession + "_" + unique
}

// RunsAgent reports whether the execution is carried out by an agent's session, now or later: a call of an
// agent that was not refused before the session began.
func (e *Execution) RunsAgent() bool {
	return CallsAgent(e.Command) && (e.Status != ExecFailed || len(e.Result) > 0)
}

// AgentRun is what a session of type AGENT keeps of the definition that it was begun with.
type AgentRun struct {
	AgentID     string   `json:"agent_id"`
	Version     int64    `json:"version"`
	Name        string   `json:"name"`
	Commands    []string `json:"commands"`
	MaxTurns    int      `json:"max_turns"`
	TokenBudget int      `json:"token_budget"`
	Model       string   `json:"model,omitempty"`
	// Depth is 1 for an agent that a CHAT or an AUTOMATION called.
	Depth int `json:"depth"`
	// RootID is the session at the top, which holds the slot; ExecutionID the call that is
	// carried out. A run without a parent has neither.
	RootID      string `json:"root_id,omitempty"`
	ExecutionID string `json:"execution_id,omitempty"`
	// End is the agent's own report, if it ended by itself.
	End *AgentEnd `json:"end,omitempty"`
}

// AgentOutcome is how an agent's task ended.
type AgentOutcome string

const (
	AgentCompleted          AgentOutcome = "MISSION_COMPLETED"
	AgentNeedsClarification AgentOutcome = "NEEDS_CLARIFICATION"
	AgentOutOfTurns         AgentOutcome = "MAX_TURNS_REACHED"
	AgentDidNothing         AgentOutcome = "NO_ACTION"
	AgentFailed             AgentOutcome = "ERROR"
)

// AgentOutcome returns how the task of an agent's session ended.
func (s *Session) AgentOutcome() AgentOutcome {
	switch end := s.State.Agent.End; {
	case s.EndReason == EndCompleted && end != nil:
		return end.Outcome
	case s.EndReason == EndLimitReached && s.State.CommandsRun == 0 && s.State.FinalText == "":
		return AgentDidNothing // nothing but empty or unreadable answers
	case s.EndReason == EndLimitReached:
		return AgentOutOfTurns
	}
	return AgentFailed
}

// AgentEnd is the report with which an agent ends.
type AgentEnd struct {
	Outcome    AgentOutcome `json:"outcome"`
	Reason     string       `json:"reason,omitempty"`
	Result     string       `json:"result,omitempty"`
	Conclusion string       `json:"conclusion,omitempty"`
}

// AgentView is the session of an agent that carries out a call of the session in the view, with the data
// that a decision about it needs.
type AgentView struct {
	Session       *Session
	Open          []*Approval
	CancelMessage *Message
	Planned       []*Execution
	Agents        []*AgentView
}

// FindAgent is the view of a session among these and those that they called; nil if it is not
// there. Above are those that called it, the outermost first.
func FindAgent(list []*AgentView, session string) (found *AgentView, above []*AgentView) {
	for _, a := range list {
		if a.Session.ID == session {
			return a, nil
		}
		if found, above := FindAgent(a.Agents, session); found != nil {
			return found, append([]*AgentView{a}, above...)
		}
	}
	return nil, nil
}

// NewAgentRun is a session of an agent that begins, with its first message.
type NewAgentRun struct {
	Session *Session
	Query   *Message
}

// KeepsAgents reports whether agents may be carrying out calls of the session's answer.
func (s *Session) KeepsAgents() bool { return s.Phase == ExecutingDataQueries || s.WaitsForAgents() }

// WaitsForAgents reports whether the session waits for a person to answer one of its agents.
func (s *Session) WaitsForAgents() bool {
	return s.Phase == WaitingValidation && s.State.Waiting != nil && s.State.Waiting.Kind == WaitAgents
}
