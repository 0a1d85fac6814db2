package domain

// What happens to a session because of the agents that it called.

// AgentsStarted starts the agents of the current answer: New are those that were not started before. The
// others (Policy.Agents) continue.
type AgentsStarted struct {
	fromEffect
	New []NewAgentRun
}

func (AgentsStarted) Name() string { return "AgentsStarted" }

// AgentsWaiting: no agent can continue before a person has answered one of them.
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
