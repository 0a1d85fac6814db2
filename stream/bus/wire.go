package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// Wire sends messages to the other nodes, in order. Messages may be lost.
type Wire interface {
	// Start begins to receive. Each message is passed to received; missed is called if some may have
	// been lost, and once when the first connection is established.
	Start(ctx context.Context, channels []string, received func(payload string), missed func()) error
	Send(ctx context.Context, parcels []Parcel) error
	Stop(ctx context.Context) error
}

// Parcel is one message to a channel: that of all nodes, or that of one.
type Parcel struct{ Channel, Payload string }

// everybody is the channel of all nodes.
const everybody = "fermata"

// channelOf is the channel of one start of a node.
func channelOf(id string) string { return everybody + "_" + id }

const (
	// maxPayload keeps a message below PostgreSQL's limit of 8,000 bytes.
	maxPayload = 7500
	// maxText limits the text of one part, in bytes of JSON.
	maxText = 6000
	// maxListed limits the sessions in one part.
	maxListed = 100
)

// kind is the type of a part.
type kind string

const (
	kindHello    kind = "hello"    // announces the sender; with Ask, requests the same in return
	kindBye      kind = "bye"      // the sender has released its lease
	kindHint     kind = "hint"     // a workspace's log has grown
	kindCut      kind = "cut"      // a claim older than Epoch is over
	kindYield    kind = "yield"    // another session waits for the slot of Session
	kindWatching kind = "watching" // Sessions have streams on the sender
	kindLeft     kind = "left"     // they have none any more
	kindBeat     kind = "beat"     // a heartbeat for Sessions
	kindText     kind = "text"     // of an answer
	kindStored   kind = "stored"   // the answer was stored as a message
	kindVoid     kind = "void"     // the answer will not become one
	kindAgain    kind = "again"    // resend the text of Sessions from its start; none: of all
	kindRestart  kind = "restart"  // text was lost: the sender resends it from its start
)

// part is one item of a message.
type part struct {
	Kind      kind         `json:"k"`
	Ask       bool         `json:"ask,omitempty"`
	Hint      *domain.Hint `json:"hint,omitempty"`
	Workspace string       `json:"w,omitempty"`
	Session   string       `json:"s,omitempty"`
	Sessions  []string     `json:"ss,omitempty"`
	Epoch     int64        `json:"e,omitempty"`
	Cause     string       `json:"c,omitempty"`
	Message   string       `json:"m,omitempty"`
	TextKind  string       `json:"tk,omitempty"`
	Offset    int          `json:"o,omitempty"` // in characters
	Text      string       `json:"t,omitempty"`
	Joined    bool         `json:"j,omitempty"` // the node joined during the answer
	Seq       int64        `json:"n,omitempty"`
	At        *time.Time   `json:"at,omitempty"`
}

// message is the JSON on the wire.
type message struct {
	From  string            `json:"f"`
	Parts []json.RawMessage `json:"p"`
}

// pack puts parts into as few payloads as possible, in order. A part that fits into no payload is
// omitted and reported as an error.
func pack(from, channel string, parts []part) ([]Parcel, error) {
	var parcels []Parcel
	var left error
	m, size := message{From: from}, 0
	envelope := len(from) + 32
	closeOff := func() {
		if len(m.Parts) == 0 {
			return
		}
		payload, _ := json.Marshal(m) // strings, and JSON that was just encoded: cannot fail
		parcels = append(parcels, Parcel{Channel: channel, Payload: string(payload)})
		m.Parts, size = nil, 0
	}
	for i := range parts {
		encoded, err := json.Marshal(&parts[i])
		if err == nil && envelope+len(encoded) > maxPayload {
			err = fmt.Errorf("%d bytes are more than a message holds", len(encoded))
		}
		if err != nil {
			left = errors.Join(left, fmt.Errorf("pack a part of kind %s: %w", parts[i].Kind, err))
			continue
		}
		if envelope+size+len(encoded)+1 > maxPayload {
			closeOff()
		}
		m.Parts = append(m.Parts, encoded)
		size += len(encoded) + 1
	}
	closeOff()
	return parcels, left
}

// unpack decodes a payload. Parts of an unknown kind are included and must be ignored: nodes of two
// versions may run side by side during an update.
func unpack(payload string) (from string, parts []part, err error) {
	var m message
	if err := json.Unmarshal([]byte(payload), &m); err != nil {
		return "", nil, fmt.Errorf("read a message: %w", err)
	}
	for _, encoded := range m.Parts {
		var p part
		if err := json.Unmarshal(encoded, &p); err != nil {
			return m.From, parts, fmt.Errorf("read a part: %w", err)
		}
		parts = append(parts, p)
	}
	return m.From, parts, nil
}
