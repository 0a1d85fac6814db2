package rounds

import (
	"encoding/json"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/visible"
)

// QuestionText returns what an approval or a question asks, as text.
func QuestionText(a *domain.Approval) string {
	lines := []string{}
	for _, action := range a.Actions {
		lines = append(lines, "- "+visible.Text(action.Text))
	}
	for _, line := range questionLines(a) {
		lines = append(lines, visible.Text(line))
	}
	return strings.Join(lines, "\n")
}

// Question returns the text of a question, as it is stored and without the actions of an approval.
func Question(a *domain.Approval) string { return strings.Join(questionLines(a), "\n") }

func questionLines(a *domain.Approval) []string {
	if a.Module == nil {
		if a.Text == "" {
			return nil
		}
		return []string{a.Text}
	}
	var m struct {
		Question string   `json:"question"`
		Message  string   `json:"message"`
		Title    string   `json:"title"`
		Options  []string `json:"options"`
		Steps    []string `json:"steps"`
	}
	_ = json.Unmarshal(a.Module.Data, &m) // modules are validated when they are stored
	var lines []string
	for _, line := range []string{m.Title, m.Question, m.Message} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	for _, item := range append(m.Options, m.Steps...) {
		lines = append(lines, "- "+item)
	}
	return lines
}
