package rounds

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// QuestionText returns what an approval or a question asks, as text.
func QuestionText(a *domain.Approval) string {
	lines := []string{}
	for _, action := range a.Actions {
		lines = append(lines, "- "+domain.Visible(action.Text))
	}
	if a.Module == nil {
		if a.Text != "" {
			lines = append(lines, domain.Visible(a.Text))
		}
		return strings.Join(lines, "\n")
	}
	var m struct {
		Question string   `json:"question"`
		Message  string   `json:"message"`
		Title    string   `json:"title"`
		Options  []string `json:"options"`
		Steps    []string `json:"steps"`
	}
	_ = json.Unmarshal(a.Module.Data, &m) // modules are validated when they are stored
	for _, line := range []string{m.Title, m.Question, m.Message} {
		if line != "" {
			lines = append(lines, domain.Visible(line))
		}
	}
	for _, item := range append(m.Options, m.Steps...) {
		lines = append(lines, "- "+domain.Visible(item))
	}
	return strings.Join(lines, "\n")
}
