package linkpage

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// What the buttons send, beside what a person says of an outcome.
const (
	answerYes  = "yes"
	answerNo   = "no"
	answerNone = "none"
)

// The modules that a link answers.
const (
	moduleChoice     = "MultipleChoice"
	moduleValidation = "Validation"
	modulePlan       = "Plan"
	moduleText       = "Text"
)

// Decision reads the form that was sent. Mistakes are domain invalid errors.
func Decision(a *domain.Approval, sent url.Values) (domain.Decision, error) {
	answer := sent.Get("answer")
	d := domain.Decision{Approved: answer == answerYes, Comment: strings.TrimSpace(sent.Get("comment"))}
	form := FormFor(a, &domain.Settings{})
	if form == nil || !form.has(answer) {
		return d, domain.Invalid("/answer", "unknown", "This answer does not fit the question.")
	}
	if !form.Comment {
		d.Comment = ""
	}
	if utf8.RuneCountInString(d.Comment) > maxComment {
		return d, domain.Invalid("/comment", "too_long", "The word with it is too long.")
	}
	switch a.Kind {
	case domain.ApprovalOutcome:
		d.Outcome, d.Approved = answer, answer != domain.OutcomeDidNot
	case domain.ApprovalQuestion:
		return answerTo(a, answer, sent)
	}
	return d, nil
}

// maxComment is what the contract lets a comment have.
const maxComment = 10_000

func (f *Form) has(answer string) bool {
	for _, b := range f.Buttons {
		if b.Value == answer {
			return true
		}
	}
	return false
}

// answerTo is the answer to a question: what its module takes is checked where all answers
// are.
func answerTo(a *domain.Approval, answer string, sent url.Values) (domain.Decision, error) {
	if answer == answerNone {
		return domain.Decision{Cancelled: true}, nil
	}
	var value any
	switch a.Module.Type {
	case moduleValidation, modulePlan:
		value = answer == answerYes
	case moduleText:
		value = lines(sent.Get("value"))
	case moduleChoice:
		d := dataOf(a)
		chosen := []string{}
		for _, option := range sent["choice"] {
			chosen = append(chosen, strings.ReplaceAll(option, "\r\n", "\n"))
		}
		if other := lines(sent.Get("other")); d.AllowOther && other != "" {
			chosen = append(chosen, other)
		}
		switch {
		case d.Multiple:
			value = chosen
		case len(chosen) == 1:
			value = chosen[0]
		default:
			return domain.Decision{}, domain.Invalid("/value", "count", "Choose one.")
		}
	}
	text, err := json.Marshal(value)
	return domain.Decision{Approved: true, Value: text}, err
}

// lines has the ends of lines as everywhere else: forms send them as CR LF.
func lines(text string) string { return strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n")) }
