package prompt

import (
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// approvalsText explains how an automation's actions that need approval are handled, and that there
// are grants, which are listed in level 2 because a person wrote them.
func approvalsText(policy string, granted bool) string {
	lines := []string{map[string]string{
		"refuse": "- An action that needs a person's yes is refused here. Do without it, and say in the end what was left out.",
		"allow":  "- Actions run without a person's yes, but for changes of documents (CONTEXT_UPDATE, CONTEXT_EDIT, CONTEXT_PUBLISH) and deletions with `force`: with one of these in it, an answer waits until a person has decided, perhaps for a long time.",
	}[policy]}
	if lines[0] == "" {
		lines[0] = "- An answer with an action that needs a person's yes waits until a person has decided, perhaps for a long time. It comes back with what was run and what was not. Put actions that may run at once in an answer of their own, before those."
	}
	if granted {
		lines = append(
			lines,
			"- A person has granted some actions beforehand: they stand in the block GRANTS. What keeps to a grant runs at once.",
		)
	}
	return strings.Join(lines, "\n")
}

// grantText describes a grant in one line, without its use count, which would change the cached
// prefix of every call.
func grantText(g *domain.Grant) string {
	text := strings.Join(g.Commands, ", ")
	if len(g.ZoneIDs) > 0 {
		text += "; only in " + strings.Join(g.ZoneIDs, ", ")
	}
	if len(g.ToolIDs) > 0 {
		text += "; only on " + strings.Join(g.ToolIDs, ", ")
	}
	if g.MaxPerRun > 0 {
		text += fmt.Sprintf("; at most %d in this run", g.MaxPerRun)
	}
	if g.ExpiresAt != nil {
		text += "; until " + g.ExpiresAt.UTC().Format(time.RFC3339)
	}
	if len(g.Bounds) > 0 {
		text += "; with params that are valid for " + compact(g.Bounds)
	}
	return text
}
