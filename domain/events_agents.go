package domain

// What happens to a session because of the agents that it called.

// AgentsStarted begins the agents of the answer that is being carried out: New are those
// that were not begun before. Those that were (Policy.Agents) go on where they stand.
type AgentsStarted struct {
	fromEffect
	New []NewAgentRun
}

func (AgentsStarted) Name() string { return "AgentsStarted" }

// AgentsWaiting: no agent can go on before a person has answered one of them.
type AgentsWaiting struct {
	fromEffect
	Agents []string // sessions that ask
}

func (AgentsWaiting) Name() string { return "AgentsWaiting" }

// AgentAnswered: a person has answered an agent, or has ended it.
type AgentAnswered struct {
	fromServer
	Agent string // its session
}

func (AgentAnswered) Name() string { return "AgentAnswered" }
