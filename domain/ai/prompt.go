package ai

import (
	"sync/atomic"

	"github.com/fermata-dev/fermata/domain"
)

// Prompt is a request to a provider, in no provider's terms. It is valid for every API: turns alternate,
// begin with a user turn, and every call has exactly one result in the following user turn.
type Prompt struct {
	// System is level 1 (documentation), the same bytes from call to call: what the server
	// and its operator wrote, and nothing else. UserData is level 2, what the workspace
	// wrote: it goes at the head of the first user turn.
	System   string
	UserData string
	// Turns are the conversation. They are shared between calls and never changed.
	Turns []*Turn
	// Tail is what changes each time (date, zone, limits near); it goes at the end of
	// the last user turn and is not stored.
	Tail string
	// Commands offered as native tools; empty with the JSON protocol.
	Commands []domain.CommandSpec
	// Described is where the words of other servers come from that describe commands in it.
	Described []domain.Provenance
	// Offered are the tools that the prompt offers, for the process log.
	Offered *domain.OfferedTools
	// AnswerSchema is the JSON Schema of the answer: that of the JSON protocol where structured output is
	// wanted, or of the format that a round's final answer has to have. Then no commands are offered.
	AnswerSchema []byte
	Protocol     domain.Protocol
}

// TurnRole alternates in a valid prompt.
type TurnRole string

const (
	TurnUser      TurnRole = "user"
	TurnAssistant TurnRole = "assistant"
)

// Turn is one message of the prompt: neighbouring USER and SYSTEM messages fused,
// or one answer. It is immutable once it is in a Prompt.
type Turn struct {
	Role   TurnRole
	Blocks []Block
	// Round is that of an answer: a picture is shown until another round has answered.
	Round string
	// Filled is the turn with what its files hold, as it was last made.
	Filled atomic.Pointer[FilledTurn]
	// Encoded is the adapter's cache: a turn is encoded once for a wire format, so the
	// next prompt costs what is new and not the whole history.
	Encoded atomic.Pointer[EncodedTurn]
	// Digest is kept for the same reason: the fingerprint of a prompt is made of those
	// of its turns.
	Digest atomic.Pointer[[32]byte]
}

// EncodedTurn is a turn in the bytes of one wire format.
type EncodedTurn struct {
	Format string
	Bytes  []byte
}

// FilledTurn is a turn with the texts of its files, and for which of them, within which room.
type FilledTurn struct {
	Of   string
	Turn *Turn
}

// BlockKind names the variants of a Block.
type BlockKind string

const (
	BlockText   BlockKind = "text"
	BlockAnswer BlockKind = "answer" // an assistant's raw answer
	BlockResult BlockKind = "result" // the result of one native call
	// BlockFile is a file that was not read yet, represented by its text. It is sent as text or as a
	// picture, described by that text.
	BlockFile    BlockKind = "file"
	BlockPicture BlockKind = "picture"
)

// Block is a part of a turn: text, a raw answer, the result of a call, or a file.
type Block struct {
	Kind    BlockKind
	Text    string            // text, or the result's content
	Answer  *domain.RawAnswer // answer
	CallID  string            // result: RawCall.ID
	Call    *domain.RawCall   // result: the call it answers
	IsError bool              // result
	File    *domain.FileRef   // file, picture; text: it is one, or describes one
	Why     domain.FileWhy    // text of a file: why it is not complete
	Data    []byte            // picture: its content
}
