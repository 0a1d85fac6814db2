package prompt

import (
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// resultText renders the result of one command for the AI. It is never empty.
func resultText(r *domain.CommandResult) string { return resultWords(r, r.Begun()) }

func resultWords(r *domain.CommandResult, begun bool) string {
	var parts []string
	switch r.Status {
	case domain.ExecSuccess:
		parts = append(parts, firstOf(r.Text, r.Summary, "Done."))
	case domain.ExecFailed:
		parts = append(parts, errorText(r.Error), r.Text)
	case domain.ExecCancelled:
		said := "Cancelled: this was not run."
		if begun {
			said = "It was started and then cancelled: part of it may have been done."
		}
		parts = append(parts, said, why(r.Error), r.Text)
	case domain.ExecCached:
		parts = append(
			parts,
			"Not run again: the same call was made just before. Its outcome:",
			errorOf(r.Error),
			firstOf(r.Text, r.Summary),
		)
	case domain.ExecPending:
		parts = append(parts, "Started, and still running. Its result will come later as an EXTERNAL_RESULT; do not start it again.")
		if r.Text != domain.PendingText {
			parts = append(parts, r.Text)
		}
	case domain.ExecUnknown:
		parts = append(parts, unknownText, why(r.Error), r.Text)
	default:
		parts = append(parts, "No result: this was not run.", why(r.Error), r.Text)
	}
	if r.Note != "" {
		parts = append(parts, "Note: "+r.Note)
	}
	return unforged(joinBy("\n", parts))
}

// unknownText describes an action with an unknown outcome to the AI, always with the same text.
const unknownText = "It is NOT known whether this was done: it was sent, and no clear answer came back. " +
	"It is not sent again by itself. Do not count on it, and do not ask for it once more to be sure: " +
	"a person is asked what became of it, and you are told. The same action again needs a person's yes."

func isError(r *domain.CommandResult) bool { return r.Status == domain.ExecFailed }

func errorOf(e *domain.CommandError) string {
	if e == nil {
		return ""
	}
	return errorText(e)
}

// errorText renders code, message and invalid fields.
func errorText(e *domain.CommandError) string {
	if e == nil {
		return "Failed."
	}
	var b strings.Builder
	b.WriteString("Failed")
	if e.Code != "" {
		b.WriteString(" (" + e.Code + ")")
	}
	b.WriteString(": " + firstOf(e.Message, "no reason was given."))
	for _, f := range e.Fields {
		b.WriteString("\n- " + firstOf(f.Pointer, "/") + ": " + firstOf(f.Message, f.Code))
	}
	return b.String()
}

func why(e *domain.CommandError) string {
	if e == nil {
		return ""
	}
	return e.Message
}

// missingResult replaces the result of a call that had none when the session continued.
func missingResult(command string) string {
	switch command {
	case domain.AskUser:
		return "The person did not answer this question."
	case domain.Complete:
		return "Noted. The session goes on."
	}
	return "Cancelled: this was not run."
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return ""
}
