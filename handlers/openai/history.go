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

// history is what a client sends of a session: the earlier exchanges, and the last message, which
// may have been sent before.
type history struct {
	instructions string // of the client, for the model
	before       []exchange
	last         string
	round        string         // id of the round that the message follows, if the client names it
	pieces       []rounds.Piece // of the last message
	// whole is the hash of all of it, and known that of everything up to the user message before the
	// last one; "" if there is none.
	whole, known string
}

// exchange is a message of the user and its answer, either of which may be missing.
type exchange struct {
	user, answer string
	pieces       []rounds.Piece // of the user message
}

// maxMessage limits the characters of a message, as in the API.
const maxMessage = 100_000

// readHistory reads the messages of a request. scope separates histories of different clients that
// have the same text.
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
		case i == last, m.role == roleTool: // tool results are in the record
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

// checkText rejects a message that is empty or too long.
func checkText(pieces []rounds.Piece, pointer string) error {
	text := rounds.TextOf(pieces)
	switch {
	case strings.TrimSpace(text) == "" && len(rounds.Attachments(pieces)) == 0:
		return domain.Invalid(pointer, "required", "The last message is empty.")
	case utf8.RuneCountInString(text) > maxMessage:
		return domain.Invalid(pointer, "too_long", "A message has %d characters at most.", maxMessage)
	}
	return nil
}

// addAnswer adds an answer to the latest exchange: a client may send one as several messages.
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

// hash computes the hashes. Instructions are left out, because many programs write the time of day
// into them.
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

// write adds a text with its kind and length, so that no two histories have the same input.
func write(h hash.Hash, kind byte, text string) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(text)))
	_, _ = h.Write(head) // hashes do not fail
	_, _ = h.Write([]byte(text))
}

// writeFiles adds the attachments of a message by their content.
func writeFiles(h hash.Hash, pieces []rounds.Piece) {
	for _, f := range rounds.Attachments(pieces) {
		write(h, 'f', f.Key())
	}
}

func sum(h hash.Hash) string { return base64.RawURLEncoding.EncodeToString(h.Sum(nil)) }

// messagePieces returns the content of the new message. The first one of a session contains the
// client's instructions.
func (c *history) messagePieces(first bool) []rounds.Piece {
	if first && c.instructions != "" {
		return append([]rounds.Piece{{Text: domain.ClientInstructions(c.instructions)}}, c.pieces...)
	}
	return c.pieces
}

// sameAnswer reports whether an answer of a client is the one of the record. A client that
// disconnected has its beginning; one to which an answer was sent twice has it at the end. Text of
// this server about approvals is ignored.
func sameAnswer(held, recorded string) bool {
	if at := strings.Index(held, approvalMark); at >= 0 {
		held = held[:at]
	}
	held, recorded = strings.TrimSpace(held), strings.TrimSpace(recorded)
	return strings.HasPrefix(recorded, held) || strings.HasSuffix(held, recorded) ||
		recorded != "" && strings.HasPrefix(held, recorded+separator)
}

// separator separates the answers of one round.
const separator = "\n\n"

// maxEarlier limits the messages of a history that a new session takes over, the latest ones.
const maxEarlier = 1000

// earlierMessages returns the history that a new session takes over, so that the model has the
// context of the new message, and its taint. Attachments that are in the record which the history
// departs from are not stored again.
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

// earlierUserMessage returns the user message of an exchange; nil if it is empty.
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
