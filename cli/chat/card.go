package chat

import (
	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/cli/card"
)

// cardLines renders an approval for a terminal.
func cardLines(a *api.Approval) []string {
	lines := []string{"", "┌ " + api.ApprovalTitle(a)}
	for _, line := range card.Body(a) {
		lines = append(lines, "│ "+line)
	}
	return append(lines, "└ "+a.ID)
}
