package openai

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
)

// talk is what a client holds of a session: what was said before, and the message that is
// new, unless it was sent before.
type talk struct {
	instructions string // the client's own, for the model
	before       []exchange
	last         string
	// whole is the hash of all of it, and known that of all up to the user's message before
	// the last one; "" without one.
	whole, known string
}

// exchange is a message of the user and what was answered, either of which may be missing.
type exchange struct{ user, answer string }

// maxMessage is how many characters a message may have, as the contract says.
const maxMessage = 100_000

// converse reads the messages of a request. scope keeps conversations apart that have
// nothing to do with each other, whatever is said in them.
func converse(all []said, scope string) (*talk, error) {
	c := &talk{}
	last := len(all) - 1
	for last >= 0 && (all[last].role == roleSystem || all[last].role == roleDeveloper) {
		last--
	}
	if last < 0 || all[last].role != roleUser {
		return nil, domain.Invalid(all[max(last, 0)].at, "not_a_message", "The last message must be one of the user.")
	}
	c.last = all[last].text
	if err := checkWords(c.last, all[last].content); err != nil {
		return nil, err
	}
	var instructions []string
	for i, m := range all {
		switch {
		case m.role == roleSystem || m.role == roleDeveloper:
			if text := strings.TrimSpace(m.text); text != "" {
				instructions = append(instructions, text)
			}
		case i == last:
		case m.role == roleUser:
			c.before = append(c.before, exchange{user: m.text})
		default:
			c.answered(m.text)
		}
	}
	c.instructions = strings.Join(instructions, "\n\n")
	c.hash(scope)
	return c, nil
}

// checkWords refuses a message that says nothing, or too much.
func checkWords(text, pointer string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return domain.Invalid(pointer, "required", "The last message says nothing.")
	case utf8.RuneCountInString(text) > maxMessage:
		return domain.Invalid(pointer, "too_long", "A message has %d characters at most.", maxMessage)
	}
	return nil
}

// answered adds an answer to what was said last: a client may show one in several messages.
func (c *talk) answered(text string) {
	if len(c.before) == 0 {
		c.before = append(c.before, exchange{})
	}
	latest := &c.before[len(c.before)-1]
	if latest.answer != "" && text != "" {
		latest.answer += "\n\n"
	}
	latest.answer += text
}

// hash goes over the conversation once. Instructions are left out of it: many programs write
// the time of day into them.
func (c *talk) hash(scope string) {
	h := sha256.New()
	write(h, 's', scope)
	for _, e := range c.before {
		write(h, 'u', e.user)
		c.known = sum(h)
		write(h, 'a', strings.TrimSpace(e.answer))
	}
	write(h, 'u', c.last)
	c.whole = sum(h)
}

// write adds a text with its kind and length, so that no two conversations read alike.
func write(h hash.Hash, kind byte, text string) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(text)))
	_, _ = h.Write(head) // a hash never fails
	_, _ = h.Write([]byte(text))
}

func sum(h hash.Hash) string { return base64.RawURLEncoding.EncodeToString(h.Sum(nil)) }

// words are what the new message says. The first one of a session brings along what the
// client would have every answer follow.
func (c *talk) words(first bool) domain.RichContent {
	text := c.last
	if first && c.instructions != "" {
		head := domain.ClientInstructions(c.instructions)
		return domain.RichContent{LinearText: head + c.last, Segments: []domain.Segment{
			{Type: "text", Text: head}, {Type: "text", Text: c.last},
		}}
	}
	return domain.RichContent{LinearText: text, Segments: []domain.Segment{{Type: "text", Text: text}}}
}

// sameAnswer says whether an answer that a client holds is one of the record. A client that
// stopped listening holds the beginning of it, and one to which an answer was told a second
// time has it at the end of what it holds. What this door told of an approval or a question
// is in no message.
func sameAnswer(held, recorded string) bool {
	if at := strings.Index(held, askMark); at >= 0 {
		held = held[:at]
	}
	held, recorded = strings.TrimSpace(held), strings.TrimSpace(recorded)
	return strings.HasPrefix(recorded, held) || strings.HasSuffix(held, recorded) ||
		recorded != "" && strings.HasPrefix(held, recorded+separator)
}

// separator stands between the answers of one round.
const separator = "\n\n"

// maxEarlier bounds the messages that a new session takes over from a client, the latest.
const maxEarlier = 1000

// earlier is what a session that is begun takes over of what was said before: without it,
// the model would not know what the new message is about.
func (c *talk) earlier() []domain.EarlierMessage {
	var all []domain.EarlierMessage
	for _, e := range c.before[max(0, len(c.before)-maxEarlier/2):] {
		if strings.TrimSpace(e.user) != "" {
			all = append(all, domain.EarlierMessage{Sender: domain.SenderUser, Text: e.user})
		}
		text := e.answer
		if at := strings.Index(text, askMark); at >= 0 {
			text = text[:at]
		}
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, domain.EarlierMessage{Sender: domain.SenderAI, Text: text})
		}
	}
	return all
}
