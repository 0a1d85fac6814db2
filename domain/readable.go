package domain

import "slices"

// A question, a message or a notice is stored once, in the workspace's language, with its texts in the
// others beside it. What a person reads is chosen when it is read.

// ReasonOf is a reason in a workspace's language, with invisible characters escaped.
func ReasonOf(level ValidationLevel, id string, text Text, language string) ApprovalReason {
	text = text.Visible()
	return ApprovalReason{Level: level, ID: id, Text: text.In(language), Translations: text.Beside(language)}
}

// Same reports whether it is the same reason, in any language.
func (r *ApprovalReason) Same(other *ApprovalReason) bool {
	return r.Level == other.Level && r.ID == other.ID && r.Text == other.Text && r.Always == other.Always
}

// WithReason adds a reason that is not there yet.
func WithReason(reasons []ApprovalReason, reason *ApprovalReason) []ApprovalReason {
	for i := range reasons {
		if reasons[i].Same(reason) {
			return reasons
		}
	}
	return append(reasons, *reason)
}

// Say sets the action's texts in a workspace's language, with invisible characters escaped.
func (a *ApprovalAction) Say(language string, text Text, warnings ...Text) {
	of := func(language string) ActionWords {
		words := ActionWords{Text: text.Visible().In(language)}
		for _, w := range warnings {
			words.Warnings = append(words.Warnings, w.Visible().In(language))
		}
		return words
	}
	main := of(language)
	a.Text, a.Warnings, a.Translations = main.Text, main.Warnings, nil
	for _, other := range Languages {
		words := of(other)
		if other == language || words.Text == main.Text && slices.Equal(words.Warnings, main.Warnings) {
			continue
		}
		if a.Translations == nil {
			a.Translations = map[string]ActionWords{}
		}
		a.Translations[other] = words
	}
}

// Ask sets the approval's question in a workspace's language.
func (a *Approval) Ask(text Text, language string) *Approval {
	a.Text, a.Translations = text.In(language), text.Beside(language)
	return a
}

// In is the approval as a person reads it in a language; "" leaves it as it is stored.
func (a *Approval) In(language string) *Approval {
	if a == nil || language == "" {
		return a
	}
	own := *a
	own.Text, own.Translations = a.Translations.In(language, a.Text), nil
	own.Reasons = slices.Clone(a.Reasons)
	for i := range own.Reasons {
		r := &own.Reasons[i]
		r.Text, r.Translations = r.Translations.In(language, r.Text), nil
	}
	own.Actions = slices.Clone(a.Actions)
	for i := range own.Actions {
		x := &own.Actions[i]
		if words, ok := x.Translations[language]; ok {
			x.Text, x.Warnings = words.Text, words.Warnings
			if len(words.After) > 0 {
				x.After = words.After
			}
		}
		x.Translations = nil
	}
	return &own
}

// In is the message as a person reads it in a language; "" leaves it as it is stored.
func (m *Message) In(language string) *Message {
	if m == nil || m.System == nil || language == "" {
		return m
	}
	own, system := *m, *m.System.Failure(m.Timestamp)
	own.System = &system
	system.Summary, system.Translations = system.words(language), nil
	system.CommandResults = slices.Clone(system.CommandResults)
	for i := range system.CommandResults {
		r := &system.CommandResults[i]
		r.Summary, r.Translations = r.Translations.In(language, r.Summary), nil
		r.Error = r.Error.In(language)
	}
	return &own
}

// In is the error as a person reads it in a language; "" leaves it as it is stored.
func (e *CommandError) In(language string) *CommandError {
	if e == nil || language == "" || e.Translations == nil {
		return e
	}
	own := *e
	own.Message, own.Translations = e.Translations.In(language, e.Message), nil
	return &own
}

// ErrorOf is a command's error in a workspace's language.
func ErrorOf(code string, text Text, language string) *CommandError {
	return &CommandError{Code: code, Message: text.In(language), Translations: text.Beside(language)}
}
