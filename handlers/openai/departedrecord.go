package openai

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// What a client says was answered before is believed, and not trusted: words from outside may
// stand in it as well as in the record that it departs from.

// origin is the record that a client's history departs from, as far as it vouches for what the
// client holds. Its taint is that of every word in it.
type departedRecord struct {
	taint *domain.Taint
	// said are the paragraphs of what was answered in it, each once.
	paragraphs map[string]bool
}

// originOf reads the record of a session; without one nothing vouches for anything. The record is
// read before its taint is: what is found in it has been counted by then.
func (c *Config) readDepartedRecord(ctx context.Context, workspace, session string) (*departedRecord, error) {
	o := &departedRecord{paragraphs: map[string]bool{}}
	if session == "" {
		return o, nil
	}
	after := int64(0)
	for read := 0; read < maxCompared; read += comparedAtOnce {
		page, err := c.Record.Messages(ctx, workspace, session, after, comparedAtOnce)
		if ignoreNotFound(err) != nil {
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

// add takes up what clients are shown of a message as words of the AI, superseded ones too.
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
	for part := range strings.SplitSeq(text, separator) {
		o.paragraphs[strings.TrimSpace(part)] = true
	}
}

// vouchesFor says whether all of an answer that a client holds is in the record. Of its last
// paragraph the client may hold the beginning, if it stopped listening.
func (o *departedRecord) contains(answer string) bool {
	parts := strings.Split(strings.TrimSpace(answer), separator)
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

// answer is an earlier one as a new session takes it over.
func (o *departedRecord) earlierAnswer(text string) domain.EarlierMessage {
	m := domain.EarlierMessage{Sender: domain.SenderAI, Text: text}
	if !o.contains(text) {
		m.From = domain.FromClientHistory()
	}
	return m
}
