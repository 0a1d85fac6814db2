package repository

import "github.com/fermata-dev/fermata/domain"

// A message has most of its text twice: the AI's answer as received and as parsed, a person's text
// and its only segment. If both are equal, byte for byte, the row stores one of them and a mark.
// Older rows have both and no mark.

// keptAnswer is the JSON of the column raw. The mark comes last.
type keptAnswer struct {
	domain.RawAnswer
	AsRead bool `json:"as_read,omitempty"` // the text is that of the column ai
}

// keptContent is the JSON of the column rich. The mark comes last.
type keptContent struct {
	domain.RichContent
	OneText bool `json:"one_text,omitempty"` // the text is that of the only segment
}

func keptAnswerOf(answer *domain.RawAnswer, read *domain.AIMessage) *keptAnswer {
	if answer == nil {
		return nil
	}
	k := &keptAnswer{RawAnswer: *answer}
	if read != nil && answer.Text != "" && answer.Text == read.PreText {
		k.Text, k.AsRead = "", true
	}
	return k
}

func (k *keptAnswer) answer(read *domain.AIMessage) *domain.RawAnswer {
	if k == nil {
		return nil
	}
	if k.AsRead && read != nil {
		k.Text = read.PreText
	}
	return &k.RawAnswer
}

func keptContentOf(content *domain.RichContent) *keptContent {
	if content == nil {
		return nil
	}
	k := &keptContent{RichContent: *content}
	if text := content.LinearText; text != "" && len(content.Segments) == 1 && content.Segments[0].Text == text {
		k.LinearText, k.OneText = "", true
	}
	return k
}

func (k *keptContent) content() *domain.RichContent {
	if k == nil {
		return nil
	}
	if k.OneText && len(k.Segments) == 1 {
		k.LinearText = k.Segments[0].Text
	}
	return &k.RichContent
}
