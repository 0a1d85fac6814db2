package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
)

// sending are the arguments of send_message.
type sending struct {
	SessionID      string `json:"session_id"`
	Text           string `json:"text"`
	IdempotencyKey string `json:"idempotency_key"`
	WaitSeconds    *int   `json:"wait_seconds"`
}

func (s *sending) limit() time.Duration {
	if s.WaitSeconds == nil {
		return longest
	}
	return time.Duration(*s.WaitSeconds) * time.Second
}

// place is where a message stands in the record.
type place struct {
	session, message string
	again            bool // the same request has brought it before
}

// send stores the message, or finds it where the same request has brought it already.
func (c *call) send(ctx context.Context, in *sending) (at *place, err error) {
	err = standing.GiveWay(ctx, func() error {
		at, err = c.sendOnce(ctx, in)
		return err
	})
	return at, err
}

func (c *call) sendOnce(ctx context.Context, in *sending) (*place, error) {
	if in.IdempotencyKey != "" {
		return c.sendByKey(ctx, in)
	}
	if in.SessionID == "" {
		return c.begin(ctx, in)
	}
	latest, err := c.latest(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	before := ""
	if latest != nil {
		if same, err := c.still(ctx, in, in.SessionID, latest); same != nil || err != nil {
			return same, err
		}
		before = latest.ID
	}
	hash := standing.Hash("mcp next", in.SessionID, before, in.Text)
	if found, err := c.known(ctx, hash); err != nil {
		return nil, err
	} else if found != nil { // it was stored since the latest message was read
		return &place{found.SessionID, found.MessageID, true}, nil
	}
	return c.store(ctx, in, &domain.HistoryKey{Hash: hash})
}

// latest is the newest message of a person in a session, in its place or waiting; nil if
// there is none.
func (c *call) latest(ctx context.Context, session string) (*domain.Message, error) {
	s, err := c.Record.Session(ctx, c.who.Workspace, session)
	if err != nil {
		return nil, err
	}
	for cursor := ""; ; {
		page, next, err := c.Record.MessagePage(ctx, s, cursor, pageSize, true)
		if err != nil {
			return nil, err
		}
		for _, m := range page {
			if m.Sender == domain.SenderUser && m.Rich != nil {
				return m, nil
			}
		}
		if cursor = next; cursor == "" {
			return nil, nil
		}
	}
}

// still finds the same message where it is being worked on.
func (c *call) still(ctx context.Context, in *sending, session string, m *domain.Message) (*place, error) {
	if m.Rich.Words() != in.Text {
		return nil, nil
	}
	s, err := c.reader().Message(ctx, session, m.ID)
	if err != nil || s.Over() {
		return nil, err
	}
	return &place{session, m.ID, true}, nil
}

// begin makes a session, unless the same caller has begun one with the same words that is
// still at work on them.
func (c *call) begin(ctx context.Context, in *sending) (*place, error) {
	key := &domain.HistoryKey{Hash: standing.Hash("mcp first", c.who.Name, in.Text)}
	found, err := c.known(ctx, key.Hash)
	if err != nil {
		return nil, err
	}
	if found != nil {
		key.Number = found.Number + 1
		s, err := c.reader().Message(ctx, found.SessionID, found.MessageID)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound: // it was deleted meanwhile
		case err != nil:
			return nil, err
		case !s.Over():
			return &place{found.SessionID, found.MessageID, true}, nil
		}
	}
	return c.store(ctx, in, key)
}

// sendByKey: the same key finds its message for as long as the session is kept.
func (c *call) sendByKey(ctx context.Context, in *sending) (*place, error) {
	hash := standing.Hash("mcp key", c.who.Name, in.SessionID, in.IdempotencyKey)
	found, err := c.known(ctx, hash)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return c.store(ctx, in, &domain.HistoryKey{Hash: hash})
	}
	m, err := c.Record.Message(ctx, c.who.Workspace, found.SessionID, found.MessageID)
	if err != nil {
		return nil, err
	}
	if m.Rich.Words() != in.Text {
		return nil, domain.Errorf(codeMismatch, "This idempotency_key was used for another message. Use a new one.")
	}
	return &place{found.SessionID, found.MessageID, true}, nil
}

// codeMismatch is the code that the API has for a key that was used for something else.
const codeMismatch domain.Code = "idempotency_mismatch"

// known finds the newest message of a hash.
func (c *call) known(ctx context.Context, hash string) (*domain.KnownHistory, error) {
	found, err := c.Histories.KnownHistories(ctx, c.who.Workspace, [2]string{hash, hash})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// store brings the message to the one door.
func (c *call) store(ctx context.Context, in *sending, key *domain.HistoryKey) (*place, error) {
	message := domain.NewMessage{
		Rich: domain.RichContent{LinearText: in.Text, Segments: []domain.Segment{{Type: "text", Text: in.Text}}},
		By:   c.who.Author(), History: key,
	}
	var receipt *domain.Receipt
	var err error
	if in.SessionID != "" {
		receipt, err = c.Commands.SendMessage(ctx, c.who.Workspace, in.SessionID, message)
	} else {
		receipt, err = c.Commands.CreateSession(ctx, c.who.Workspace, domain.NewSession{
			Type: domain.Chat, Message: &message, By: c.who.Name,
		})
	}
	if err != nil {
		return nil, err
	}
	return &place{session: receipt.Session.ID, message: receipt.Message.ID}, nil
}

// sendMessage says something, and waits for what comes of it.
func sendMessage(c *call, ctx context.Context, in *asked) (any, error) {
	var args sending
	if err := in.into(&args); err != nil {
		return nil, err
	}
	at, err := c.placeOf(ctx, in, &args)
	if err != nil {
		return nil, err
	}
	s, err := c.wait(ctx, in.CallToolRequest, at.session, args.limit(), func(ctx context.Context) (*standing.Standing, error) {
		return c.reader().Message(ctx, at.session, at.message)
	})
	if err != nil {
		return nil, err
	}
	if form, err := c.form(in.CallToolRequest, s, at); form != nil || err != nil {
		return form, err
	}
	return c.resultOf(s, at.again), nil
}

// beginMessage says something, without waiting for what comes of it.
func beginMessage(c *call, ctx context.Context, in *asked) (*standing.Standing, error) {
	var args sending
	if err := in.into(&args); err != nil {
		return nil, err
	}
	at, err := c.send(ctx, &args)
	if err != nil {
		return nil, err
	}
	return c.reader().Message(ctx, at.session, at.message)
}

// placeOf is where the message of a call stands. A call that is made again with an answer to
// what it was asked brings that answer.
func (c *call) placeOf(ctx context.Context, in *asked, args *sending) (*place, error) {
	if in.Params.RequestState == "" {
		return c.send(ctx, args)
	}
	return c.resume(ctx, in.Params)
}

// resultOf is how something stands, as both forms that clients read.
func (c *call) resultOf(s *standing.Standing, again bool) *mcp.CallToolResult {
	out := c.outcome(s)
	out.Attached = again
	result := structured(out)
	if text := out.words(); text != "" {
		result.Content = []mcp.Content{&mcp.TextContent{Text: shown(text)}}
	}
	result.IsError = s.Failed || s.State == standing.Failed
	return result
}
