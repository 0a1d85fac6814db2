package tasks

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// maxText bounds what the AI reads of one result.
const maxText = 64 << 10

// ended is the event of a task that is over. x, if it is known, is the execution that it is
// the work of, which is work in words for people.
func ended(t *domain.Task, x *domain.Execution, work domain.Text) domain.ExternalResultReceived {
	result := domain.CommandResult{ExecutionID: t.ExecutionID, Command: t.Command}
	switch t.Status {
	case domain.TaskSucceeded:
		result.Status, result.Text = domain.ExecSuccess, textOf(t.Result)
	case domain.TaskCancelled:
		result.Status, result.Error = domain.ExecCancelled, &domain.CommandError{Code: domain.CodeTaskCancelled, Message: t.Error}
		if t.Owed == "" { // nothing has to be sent to its service: it was the one that cancelled
			result.Error.Code = domain.CodeTaskWithdrawn
		}
	case domain.TaskExpired:
		result.Status, result.Error = domain.ExecFailed, &domain.CommandError{
			Code: domain.CodeTaskExpired, Message: t.Error + " Part of it may have been done.",
		}
	default:
		why := t.Error
		if why == "" {
			why = "The service says that it failed, and not why."
		}
		result.Status, result.Error = domain.ExecFailed, &domain.CommandError{Code: domain.CodeTaskFailed, Message: why}
	}
	event := domain.ExternalResultReceived{TaskID: t.ID, Result: result, Task: t}
	if x != nil {
		own := *x
		own.Summary = outcomeText(t.Status, work)
		own.Status, own.Text, own.Result, own.Error, own.EndedAt = result.Status, result.Text, t.Result, result.Error, t.EndedAt
		event.Execution = &own
	}
	return event
}

// outcomeText describes for people how a task ended.
func outcomeText(status domain.TaskStatus, work domain.Text) domain.Text {
	switch status {
	case domain.TaskSucceeded:
		return work
	case domain.TaskCancelled:
		return domain.Say("Cancelled: %s", "Annulé : %s", work)
	case domain.TaskExpired:
		return domain.Say("Timed out: %s", "Délai dépassé : %s", work)
	}
	return domain.Say("Failed: %s", "Échec : %s", work)
}

// textOf is a result as the AI reads it: a text as it is, anything else as JSON.
func textOf(result json.RawMessage) string {
	if len(result) == 0 || string(result) == "null" {
		return "It succeeded, and gave nothing back."
	}
	var text string
	if json.Unmarshal(result, &text) != nil {
		text = string(result)
	}
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%s\n[cut: %d bytes came]", text[:cut], len(text))
}
