package ai

import "github.com/fermata-dev/fermata/domain"

// definitionOverhead is what a definition costs beside its texts: OpenAI's wire, the longest, has 75 bytes
// around them.
const definitionOverhead = 22

// DefinitionTokens estimates a command's definition in a prompt.
func DefinitionTokens(s *domain.CommandSpec) int {
	return definitionOverhead + (len(s.Name)*2+6)/7 + (len(s.Description)+len(s.Params))*2/7
}
