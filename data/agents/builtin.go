package agents

import "github.com/fermata-dev/fermata/domain"
import "github.com/fermata-dev/fermata/domain/userdata"

// contextManagerID is the id of the built-in agent that looks after the documents.
const contextManagerID = "agt_context_manager"

// builtIns are the agents that every workspace has. A workspace changes its own copy; the
// texts of these may be better in a later version of the server.
func builtIns() []*userdata.AgentDefinition {
	return []*userdata.AgentDefinition{{ID: contextManagerID, BuiltIn: true, AgentFields: userdata.AgentFields{
		Name: "ContextManager", Enabled: true,
		Description: "Looks after the workspace's documents: finds what they say, writes drafts, and publishes them once a person has agreed. " +
			"Give it what to note or to look for, in whole sentences.",
		SystemPrompt: "You look after the documents of this workspace: the texts that every session should know about this person or company. " +
			"You find what they say, keep them short and true, and write down what you are asked to note.",
		Strategy: "Read first: CONTEXT without a key lists the documents, with a key it gives one; SEARCH finds words. " +
			"Put something new where it belongs: into the document that is about it, and into a new one only where there is none. " +
			"Change a text that is there with CONTEXT_EDIT, in the places that the task is about: each `find` stands in the draft exactly once. " +
			"A long document is read by parts (CONTEXT with `part`: a heading, or from a token on). " +
			"CONTEXT_UPDATE writes a whole text: use it for new documents and short ones, and keep all that stays true. " +
			"Then CONTEXT_PUBLISH: a draft that is not published is not read by other sessions. A person sees each change as it stands and says yes or no. " +
			"What a person has refused is not tried again in another form.",
		SuccessCriteria: "What was asked for stands in a published document, or the question about the documents is answered, or a person has refused it.",
		ExitReport:      "Which document, by key and title; what it says now on the point; whether it is published. Of a question: the answer, and the document it stands in.",
		Commands:        []string{"CONTEXT", "CONTEXT_EDIT", "CONTEXT_UPDATE", "CONTEXT_PUBLISH", "SEARCH"},
		MaxTurns:        domain.AgentMaxTurns, TokenBudget: domain.AgentTokenBudget,
	},
	}}
}
