package domain

import (
	"cmp"
	"slices"
)

// A retry runs the last round of a CHAT again. Its earlier answers stay in the record, superseded; the
// tries of one question share the id of the first round (Message.RetryOf).

// Again holds a requested retry until its round begins.
type Again struct {
	// Of is the first round of the tries; RoundID the interrupted round that is continued, if any.
	Of      string `json:"of,omitempty"`
	RoundID string `json:"round_id,omitempty"`
	// MessageID is the message in other words, with which it begins; "": with the same.
	MessageID string `json:"message_id,omitempty"`
	// ProviderID and Model override the session's for this try; "" keeps them.
	ProviderID string `json:"provider_id,omitempty"`
	Model      string `json:"model,omitempty"`
	// Remains describes for the AI what the earlier tries have changed.
	Remains string `json:"remains,omitempty"`
}

// RetryPlan is how a round is run again, as it was decided on its record.
type RetryPlan struct {
	Again
	// Superseded are the messages that leave the prompt.
	Superseded []*Message
	// Message is the one in other words; nil: the same. Words are those to be said once more,
	// because others were said after them.
	Message *Message
	Words   *Message
	// Remains are the changes that the round has made and that stay.
	Remains []*Execution
}

// RetryRequest is what a person asks for. The zero value is the same once more.
type RetryRequest struct {
	ProviderID     string
	Model          string
	Message        *NewMessage
	KeepsFiles     bool // Message is a text in place of another: what was shown with that stays
	DespiteEffects bool
	By             Author
}

// Group is the round that first answered what the message belongs to.
func (m *Message) Group() string { return cmp.Or(m.RetryOf, m.RoundID) }

// WithFilesOf adds the files of the replaced messages, up to the limit of one message.
func (r RichContent) WithFilesOf(messages []*Message) RichContent {
	seen := map[string]bool{}
	own := RichContent{Segments: slices.Clone(r.Segments), LinearText: r.LinearText, Commands: r.Commands}
	for _, m := range messages {
		if m.Sender != SenderUser || m.Rich == nil {
			continue
		}
		for _, s := range m.Rich.Segments {
			if s.File == nil || seen[s.File.ID] || len(seen) == MaxMessageFiles {
				continue
			}
			seen[s.File.ID] = true
			own.Segments = append(own.Segments, s) // with its provenance: it is from outside all the same
			own.LinearText += " [" + s.File.Name + "]"
		}
	}
	return own
}

// ChoicePlan describes how the record changes when an earlier answer is made the current one.
type ChoicePlan struct {
	RoundID    string
	Superseded []*Message
	Current    []*Message
}
