package rounds

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// The history that a client sends is used, but not trusted: it may contain external content, like
// the record that it departs from.

// departedRecord is the record that a client's history departs from. Answers of the history that are
// in it are trusted; its taint is that of the whole record.
type departedRecord struct {
	taint *domain.Taint
	// paragraphs are the paragraphs of its answers.
	paragraphs map[string]bool
}

// readDepartedRecord reads the record of a session; an empty one if session is "". The taint is read
// after the messages, so that it includes all of them.
func (c *Config) readDepartedRecord(ctx context.Context, workspace, session string) (*departedRecord, error) {
	o := &departedRecord{paragraphs: map[string]bool{}}
	if session == "" {
		return o, nil
	}
	after := int64(0)
	for read := 0; read < maxCompared; read += comparedAtOnce {
		page, err := c.Record.Messages(ctx, workspace, session, after, comparedAtOnce)
		if IgnoreNotFound(err) != nil {
			return nil, err
		}
		for _, m := range page {
			o.add(m)
		}
		if len(page) < comparedAtOnce || page[len(page)-1].Seq == 0 {
			break
		}
		after = page[len(page)-1].Seq
	}
	s, err := c.Record.Session(ctx, workspace, session)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return &departedRecord{}, nil // deleted meanwhile
	case err != nil:
		return nil, err
	}
	o.taint = s.State.Taint
	return o, nil
}

// add adds the visible text of a message of the AI, including superseded ones.
func (o *departedRecord) add(m *domain.Message) {
	switch {
	case m.Sender == domain.SenderAI && m.AI != nil:
		o.addText(m.AI.PreText)
	case m.Sender == domain.SenderAI:
		o.addText(m.Text)
	case m.System != nil && m.System.Type == domain.SystemLimitReached:
		o.addText(m.System.Summary)
	}
}

func (o *departedRecord) addText(text string) {
	for part := range strings.SplitSeq(text, Separator) {
		o.paragraphs[strings.TrimSpace(part)] = true
	}
}

// contains reports whether an answer of the client is in the record. Of the last paragraph the
// client may have only the beginning, if it disconnected.
func (o *departedRecord) contains(answer string) bool {
	parts := strings.Split(strings.TrimSpace(answer), Separator)
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if o.paragraphs[part] || part == "" || i == len(parts)-1 && o.hasPrefix(part) {
			continue
		}
		return false
	}
	return true
}

func (o *departedRecord) hasPrefix(part string) bool {
	for said := range o.paragraphs {
		if strings.HasPrefix(said, part) {
			return true
		}
	}
	return false
}

// earlierAnswer returns an answer of the history as a message of a new session.
func (o *departedRecord) earlierAnswer(text string) domain.EarlierMessage {
	m := domain.EarlierMessage{Sender: domain.SenderAI, Text: text}
	if !o.contains(text) {
		m.From = domain.FromClientHistory()
	}
	return m
}
