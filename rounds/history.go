package rounds

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"hash"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// History is what a client without ids of messages sends of a session: the earlier exchanges, and the
// last message, which may have been sent before.
type History struct {
	Scope        Scope
	Instructions string // of the client, for the model
	Before       []Exchange
	Pieces       []Piece // of the last message

	// whole is the hash of all of it, and known that of everything up to the user message before the
	// last one; "" if there is none.
	whole, known string
}

// Exchange is a message of the user and its answer, either of which may be missing.
type Exchange struct {
	User, Answer string
	Pieces       []Piece // of the user message
}

// Scope identifies the conversation that a client means.
type Scope struct {
	Name string // the external id or id of a session; "": not named
	// Ours is set if the client uses our header. It need not send the history.
	Ours bool
}

// seed separates histories with different names; those without a name are separated by the caller.
func (s Scope) seed(caller *auth.Identity) string {
	if s.Name == "" {
		return "key " + caller.Name
	}
	return "name " + s.Name
}

// AddAnswer adds an answer to the latest exchange: a client may send one as several messages.
func (h *History) AddAnswer(text string) {
	if len(h.Before) == 0 {
		h.Before = append(h.Before, Exchange{})
	}
	latest := &h.Before[len(h.Before)-1]
	if latest.Answer != "" && text != "" {
		latest.Answer += Separator
	}
	latest.Answer += text
}

// hash computes the hashes. Instructions are left out, because many programs write the time of day
// into them.
func (h *History) hash(seed string) {
	sum := sha256.New()
	write(sum, 's', seed)
	for _, e := range h.Before {
		write(sum, 'u', e.User)
		writeFiles(sum, e.Pieces)
		h.known = encoded(sum)
		write(sum, 'a', strings.TrimSpace(e.Answer))
	}
	write(sum, 'u', TextOf(h.Pieces))
	writeFiles(sum, h.Pieces)
	h.whole = encoded(sum)
}

// write adds a text with its kind and length, so that no two histories have the same input.
func write(h hash.Hash, kind byte, text string) {
	head := binary.AppendUvarint([]byte{kind}, uint64(len(text)))
	_, _ = h.Write(head) // hashes do not fail
	_, _ = h.Write([]byte(text))
}

// writeFiles adds the attachments of a message by their content.
func writeFiles(h hash.Hash, pieces []Piece) {
	for _, f := range Attachments(pieces) {
		write(h, 'f', f.Key())
	}
}

func encoded(h hash.Hash) string { return base64.RawURLEncoding.EncodeToString(h.Sum(nil)) }

// firstPieces returns the content of the message as the first one of a session, which contains the
// client's instructions.
func (h *History) firstPieces() []Piece { return withInstructions(h.Instructions, h.Pieces) }

// withInstructions returns the content of a message with the client's own instructions before it.
func withInstructions(instructions string, pieces []Piece) []Piece {
	if instructions == "" {
		return pieces
	}
	return append([]Piece{{Text: ai.ClientInstructions(instructions)}}, pieces...)
}

// latestAnswer returns the answer that the client has before its message.
func (h *History) latestAnswer() string { return h.Before[len(h.Before)-1].Answer }

// sameAnswer reports whether an answer of a client is the one of the record. A client that
// disconnected has its beginning; one to which an answer was sent twice has it at the end. Text of
// this server about approvals is ignored.
func sameAnswer(held, recorded string) bool {
	held, recorded = strings.TrimSpace(withoutApprovalText(held)), strings.TrimSpace(recorded)
	return strings.HasPrefix(recorded, held) || strings.HasSuffix(held, recorded) ||
		recorded != "" && strings.HasPrefix(held, recorded+Separator)
}

// Separator separates the answers of one round.
const Separator = "\n\n"

// Joined joins two texts of one round.
func Joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + Separator + b
}

// maxEarlier limits the messages of a history that a new session takes over, the latest ones.
const maxEarlier = 1000

// earlierMessages returns the history that a new session takes over, so that the model has the
// context of the new message, and its taint. Attachments that are in the record which the history
// departs from are not stored again.
func (f *historyFinder) earlierMessages(ctx context.Context, from string) ([]domain.EarlierMessage, *domain.Taint, error) {
	before := f.history.Before[max(0, len(f.history.Before)-maxEarlier/2):]
	if len(before) == 0 {
		return nil, nil, nil
	}
	record, err := f.readDepartedRecord(ctx, f.Caller.Workspace, from)
	if err != nil {
		return nil, nil, err
	}
	if from != "" && slices.ContainsFunc(before, func(e Exchange) bool { return len(Attachments(e.Pieces)) > 0 }) {
		messages, err := f.Record.Messages(ctx, f.Caller.Workspace, from, 0, comparedAtOnce)
		if err != nil {
			return nil, nil, err
		}
		f.uploader.Reuse(messages)
	}
	var all []domain.EarlierMessage
	for _, e := range before {
		said, err := f.earlierUserMessage(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		if said != nil {
			all = append(all, *said)
		}
		if text := strings.TrimSpace(withoutApprovalText(e.Answer)); text != "" {
			all = append(all, record.earlierAnswer(text))
		}
	}
	return all, record.taint, nil
}

// earlierUserMessage returns the user message of an exchange; nil if it is empty.
func (f *historyFinder) earlierUserMessage(ctx context.Context, e Exchange) (*domain.EarlierMessage, error) {
	said := &domain.EarlierMessage{Sender: domain.SenderUser, Text: e.User}
	if len(Attachments(e.Pieces)) > 0 {
		rich, err := f.uploader.Content(ctx, e.Pieces)
		said.Rich = &rich
		return said, err
	}
	if strings.TrimSpace(e.User) == "" {
		return nil, nil //nolint:nilnil // nothing
	}
	return said, nil
}
