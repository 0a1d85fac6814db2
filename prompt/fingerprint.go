package prompt

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"strconv"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// Fingerprint is equal for equal prompts. It is stored with each call in place of the prompt
// itself. The digest of a turn is cached, so that the next prompt only digests new turns.
func Fingerprint(p *ai.Prompt) string {
	h := sha256.New()
	part(h, p.System)
	part(h, p.UserData)
	for _, turn := range p.Turns {
		d := digest(turn)
		h.Write(d[:])
	}
	part(h, p.Tail)
	for i := range p.Commands {
		part(h, p.Commands[i].Name)
	}
	part(h, string(p.AnswerSchema))
	part(h, string(p.Protocol))
	return hex.EncodeToString(h.Sum(nil))
}

// part hashes a text with a terminator, to keep adjacent parts distinct.
func part(h hash.Hash, text string) {
	h.Write([]byte(text))
	h.Write([]byte{0})
}

func digest(turn *ai.Turn) *[sha256.Size]byte {
	if d := turn.Digest.Load(); d != nil {
		return d
	}
	h := sha256.New()
	part(h, string(turn.Role))
	for i := range turn.Blocks {
		b := &turn.Blocks[i]
		answer, _ := json.Marshal(asSent(b.Answer)) // cannot fail: only strings
		for _, text := range []string{string(b.Kind), b.Text, string(answer), b.CallID, strconv.FormatBool(b.IsError)} {
			part(h, text)
		}
		if b.Kind == ai.BlockPicture {
			part(h, b.File.SHA256)
		}
	}
	d := [sha256.Size]byte(h.Sum(nil))
	turn.Digest.Store(&d)
	return &d
}

// asSent returns an answer as it is sent back to its model, without the notes about the prompt it
// came from.
func asSent(answer *domain.RawAnswer) *domain.RawAnswer {
	if answer == nil || len(answer.PromptFiles) == 0 {
		return answer
	}
	own := *answer
	own.PromptFiles, own.OlderPromptFiles = nil, 0
	return &own
}
