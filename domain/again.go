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

// LastRound is the end of a record: every try at its last question, in order.
func LastRound(record []*Message) []*Message {
	if len(record) == 0 || record[len(record)-1].Group() == "" {
		return nil
	}
	group := record[len(record)-1].Group()
	first := len(record)
	for first > 0 && record[first-1].Group() == group {
		first--
	}
	return record[first:]
}

// PlanRetry decides which messages of a record's last round a retry supersedes. With new words, all of
// them; otherwise the user's messages, the data they refer to and external results stay. A round that
// broke off without an answer is continued where it stopped. nil: there is no round.
func PlanRetry(record []*Message, ask *RetryRequest) *RetryPlan {
	round := LastRound(record)
	if len(round) == 0 {
		return nil
	}
	p := &RetryPlan{Again: Again{ProviderID: ask.ProviderID, Model: ask.Model}}
	if ask.Message == nil && brokeOff(round) {
		last := round[lastCurrent(round)]
		p.RoundID, p.Of = last.RoundID, last.RetryOf
		return p
	}
	if ask.Message == nil {
		p.Words = earlierWords(round)
	}
	p.Of = round[0].Group()
	p.Superseded = answersIn(round, ask.Message != nil || p.Words != nil)
	return p
}

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

// earlierWords are the current words of a round where others were said after them, and nil
// where they are the latest.
func earlierWords(round []*Message) *Message {
	var current *Message
	for _, m := range slices.Backward(round) {
		switch {
		case m.Sender != SenderUser || m.Rich == nil:
		case !m.Superseded:
			current = m
		case current == nil:
			return firstWords(round)
		}
	}
	return nil
}

func firstWords(round []*Message) *Message {
	for _, m := range round {
		if m.Sender == SenderUser && m.Rich != nil && !m.Superseded {
			return m
		}
	}
	return nil
}

// answersIn are the current messages of a round that another try takes the place of.
func answersIn(round []*Message, reworded bool) []*Message {
	var out []*Message
	answered, refers := map[string]bool{}, false
	for _, m := range round {
		kept := !reworded && staysInPlace(m, answered[m.RoundID], refers)
		refers = kept && m.Rich != nil && len(m.Rich.Commands) > 0
		answered[m.RoundID] = answered[m.RoundID] || m.Sender == SenderAI
		if !kept && !m.Superseded && !(reworded && isExternalResult(m)) {
			out = append(out, m)
		}
	}
	return out
}

// staysInPlace reports whether a message belongs to the question and not to the answer. answered: its
// round has answered before it; refers: the message before it refers to data.
func staysInPlace(m *Message, answered, refers bool) bool {
	switch {
	case m.Sender == SenderAI:
		return false
	case m.Sender == SenderUser:
		return m.Rich != nil
	case isExternalResult(m):
		return true
	case m.System.Type == SystemDataAdded:
		return refers || !answered
	default:
		return !answered && m.System.Type == SystemContextSummary
	}
}

func isExternalResult(m *Message) bool {
	return m.System != nil && m.System.Type == SystemExternalResult
}

// brokeOff reports whether the newest message of the round records that the AI could not be called.
func brokeOff(round []*Message) bool {
	i := lastCurrent(round)
	return i >= 0 && round[i].System != nil && round[i].System.Type == SystemNetworkError
}

func lastCurrent(round []*Message) int {
	for i, m := range slices.Backward(round) {
		if !m.Superseded {
			return i
		}
	}
	return -1
}

// ChoicePlan describes how the record changes when an earlier answer is made the current one.
type ChoicePlan struct {
	RoundID    string
	Superseded []*Message
	Current    []*Message
}

// PlanChoice makes the try that a message of the last round belongs to the current one. nil: the message
// does not exist or is not part of an answer.
func PlanChoice(record []*Message, id string) *ChoicePlan {
	round := LastRound(record)
	i := slices.IndexFunc(round, func(m *Message) bool { return m.ID == id })
	if i < 0 || len(round) == 0 {
		return nil
	}
	p := &ChoicePlan{RoundID: round[i].RoundID}
	belongs := tryOf(round, p.RoundID)
	for _, m := range round {
		switch current := belongs(m); {
		case current && m.Superseded:
			p.Current = append(p.Current, m)
		case !current && !m.Superseded:
			p.Superseded = append(p.Superseded, m)
		}
	}
	return p
}

// tryOf returns a predicate for the messages of a round that belong to one of its tries: the answer, its
// question and external results.
func tryOf(round []*Message, try string) func(*Message) bool {
	own := false // the try has its own words
	for _, m := range round {
		own = own || m.RoundID == try && m.Sender == SenderUser && m.Rich != nil
	}
	asked := questionOf(round, try)
	return func(m *Message) bool { return m.RoundID == try || isExternalResult(m) || !own && asked[m.ID] }
}

// questionOf returns the messages that were the question when a try began: those that remain of the latest
// earlier try with words of its own.
func questionOf(round []*Message, try string) map[string]bool {
	words := ""
	for _, m := range round {
		if m.RoundID == try {
			break
		}
		if m.Sender == SenderUser && m.Rich != nil {
			words = m.RoundID
		}
	}
	asked := map[string]bool{}
	answered, refers := false, false
	for _, m := range round {
		if m.RoundID != words {
			continue
		}
		kept := staysInPlace(m, answered, refers)
		refers = kept && m.Rich != nil && len(m.Rich.Commands) > 0
		answered = answered || m.Sender == SenderAI
		asked[m.ID] = kept
	}
	return asked
}

// Effects lists the executions of a superseded answer that still matter: they changed something, may have
// changed something, or are still running outside.
func Effects(executions []*Execution) []*Execution {
	var out []*Execution
	for _, x := range executions {
		if x.Kind != KindAction {
			continue
		}
		switch x.Status {
		case ExecSuccess, ExecUnknown, ExecStarted, ExecPending:
			out = append(out, x)
		}
	}
	return out
}
