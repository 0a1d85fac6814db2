package openai

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// talk is what a client holds of a session: what was said before, and the message that is
// new, unless it was sent before.
type history struct {
	instructions string // the client's own, for the model
	before       []exchange
	last         string
	round        string         // that the message follows, where the client names it
	pieces       []rounds.Piece // of the last
	// whole is the hash of all of it, and known that of all up to the user's message before
	// the last one; "" without one.
	whole, known string
}

// exchange is a message of the user and what was answered, either of which may be missing.
type exchange struct {
	user, answer string
	pieces       []rounds.Piece // of the user's
}

// maxMessage is how many characters a message may have, as the contract says.
const maxMessage = 100_000

// converse reads the messages of a request. scope keeps conversations apart that have
// nothing to do with each other, whatever is said in them.
func readHistory(all []inputMessage, scope string) (*history, error) {
	c := &history{}
	last := len(all) - 1
	for last >= 0 && (all[last].role == roleSystem || all[last].role == roleDeveloper) {
		last--
	}
	if last < 0 || all[last].role != roleUser {
		return nil, domain.Invalid(all[max(last, 0)].at, "not_a_message", "The last message must be one of the user.")
	}
	c.last, c.pieces = all[last].text, all[last].pieces
	if err := checkText(c.pieces, all[last].content); err != nil {
		return nil, err
	}
	var instructions []string
	for i, m := range all {
		switch {
		case m.role == roleSystem || m.role == roleDeveloper:
			if text := strings.TrimSpace(m.text); text != "" {
				instructions = append(instructions, text)
			}
		case i == last, m.role == roleTool: // what tools found stands in the record
		case m.role == roleUser:
			c.before = append(c.before, exchange{user: m.text, pieces: m.pieces})
		default:
			c.addAnswer(m.text)
		}
	}
	c.instructions = strings.Join(instructions, "\n\n")
	c.hash(scope)
	return c, nil
}

// checkWords refuses a message that says nothing, or too much.
func checkText(pieces []rounds.Piece, pointer string) error {
	text := rounds.TextOf(pieces)
	switch {
	case strings.TrimSpace(text) == "" && len(rounds.Attachments(pieces)) == 0:
		return domain.Invalid(pointer, "required", "The last message says nothing.")
	case utf8.RuneCountInString(text) > maxMessage:
		return domain.Invalid(pointer, "too_long", "A message has %d characters at most.", maxMessage)
	}
	return nil
}

// answered adds an answer to what was said last: a client may show one in several messages.
func (c *history) addAnswer(text string) {
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
func (c *history) hash(scope string) {
	h := sha256.New()
	write(h, 's', scope)
	for _, e := range c.before {
		write(h, 'u', e.user)
		writeFiles(h, e.pieces)
		c.known = sum(h)
		write(h, 'a', strings.TrimSpace(e.answer))
	}
	write(h, 'u', c.last)
	writeFiles(h, c.pieces)
	c.whole = sum(h)
}

// write adds a text with its kind and length, so that no two conversations read alike.
func write(h hash.Hash, kind byte, text string) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(text)))
	_, _ = h.Write(head) // a hash never fails
	_, _ = h.Write([]byte(text))
}

// writeFiles adds the files of a message by what they hold.
func writeFiles(h hash.Hash, pieces []rounds.Piece) {
	for _, f := range rounds.Attachments(pieces) {
		write(h, 'f', f.Key())
	}
}

func sum(h hash.Hash) string { return base64.RawURLEncoding.EncodeToString(h.Sum(nil)) }

// words are what the new message says. The first one of a session brings along what the
// client would have every answer follow.
func (c *history) messagePieces(first bool) []rounds.Piece {
	if first && c.instructions != "" {
		return append([]rounds.Piece{{Text: domain.ClientInstructions(c.instructions)}}, c.pieces...)
	}
	return c.pieces
}

// sameAnswer says whether an answer that a client holds is one of the record. A client that
// stopped listening holds the beginning of it, and one to which an answer was told a second
// time has it at the end of what it holds. What this door told of an approval or a question
// is in no message.
func sameAnswer(held, recorded string) bool {
	if at := strings.Index(held, approvalMark); at >= 0 {
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
// the model would not know what the new message is about. Files that are in the record that
// the client's history departs from are not stored again. The taint is that of this record.
func (a *requestState) earlierMessages(ctx context.Context, from string) ([]domain.EarlierMessage, *domain.Taint, error) {
	before := a.history.before[max(0, len(a.history.before)-maxEarlier/2):]
	if len(before) == 0 {
		return nil, nil, nil
	}
	record, err := a.readDepartedRecord(ctx, a.identity.Workspace, from)
	if err != nil {
		return nil, nil, err
	}
	if from != "" && slices.ContainsFunc(before, func(e exchange) bool { return len(rounds.Attachments(e.pieces)) > 0 }) {
		messages, err := a.Record.Messages(ctx, a.identity.Workspace, from, 0, comparedAtOnce)
		if err != nil {
			return nil, nil, err
		}
		a.files().Reuse(messages)
	}
	var all []domain.EarlierMessage
	for _, e := range before {
		said, err := a.earlierUserMessage(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		if said != nil {
			all = append(all, *said)
		}
		text := e.answer
		if at := strings.Index(text, approvalMark); at >= 0 {
			text = text[:at]
		}
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, record.earlierAnswer(text))
		}
	}
	return all, record.taint, nil
}

// earlierWords are what the user said in an exchange; nil where that is nothing.
func (a *requestState) earlierUserMessage(ctx context.Context, e exchange) (*domain.EarlierMessage, error) {
	said := &domain.EarlierMessage{Sender: domain.SenderUser, Text: e.user}
	if len(rounds.Attachments(e.pieces)) > 0 {
		rich, err := a.files().Content(ctx, e.pieces)
		said.Rich = &rich
		return said, err
	}
	if strings.TrimSpace(e.user) == "" {
		return nil, nil //nolint:nilnil // nothing
	}
	return said, nil
}
