package mcpserver

import (
	"context"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// sendArguments are the arguments of send_message.
type sendArguments struct {
	SessionID      string `json:"session_id"`
	Text           string `json:"text"`
	IdempotencyKey string `json:"idempotency_key"`
	WaitSeconds    *int   `json:"wait_seconds"`
}

func (s *sendArguments) limit() time.Duration {
	if s.WaitSeconds == nil {
		return maxWait
	}
	return time.Duration(*s.WaitSeconds) * time.Second
}

// location is where a message is stored.
type location struct {
	session, message string
	repeated         bool // it was sent by the same request before
}

// send stores the message, or finds it where the same request stored it before.
func (c *call) send(ctx context.Context, in *sendArguments) (at *location, err error) {
	err = rounds.RetryOnConflict(ctx, func() error {
		at, err = c.sendOnce(ctx, in)
		return err
	})
	return at, err
}

func (c *call) sendOnce(ctx context.Context, in *sendArguments) (*location, error) {
	if in.IdempotencyKey != "" {
		return c.sendByKey(ctx, in)
	}
	if in.SessionID == "" {
		return c.sendFirst(ctx, in)
	}
	latest, err := c.latest(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	before := ""
	if latest != nil {
		if same, err := c.findUnfinished(ctx, in, in.SessionID, latest); same != nil || err != nil {
			return same, err
		}
		before = latest.ID
	}
	hash := rounds.Hash("mcp next", in.SessionID, before, in.Text)
	if found, err := c.known(ctx, hash); err != nil {
		return nil, err
	} else if found != nil { // stored after the latest message was read
		return &location{found.SessionID, found.MessageID, true}, nil
	}
	return c.store(ctx, in, &domain.HistoryKey{Hash: hash})
}

// latest returns the newest message of a person in a session, including queued ones; nil if there is
// none.
func (c *call) latest(ctx context.Context, session string) (*domain.Message, error) {
	s, err := c.Record.Session(ctx, c.identity.Workspace, session)
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

// findUnfinished finds an equal message whose round is in progress.
func (c *call) findUnfinished(ctx context.Context, in *sendArguments, session string, m *domain.Message) (*location, error) {
	if m.Rich.Words() != in.Text {
		return nil, nil
	}
	s, err := c.reader().Message(ctx, session, m.ID)
	if err != nil || s.Finished() {
		return nil, err
	}
	return &location{session, m.ID, true}, nil
}

// sendFirst creates a session, unless the same caller has one whose first message is equal and still
// in progress.
func (c *call) sendFirst(ctx context.Context, in *sendArguments) (*location, error) {
	key := &domain.HistoryKey{Hash: rounds.Hash("mcp first", c.identity.Name, in.Text)}
	found, err := c.known(ctx, key.Hash)
	if err != nil {
		return nil, err
	}
	if found != nil {
		key.Number = found.Number + 1
		s, err := c.reader().Message(ctx, found.SessionID, found.MessageID)
		switch {
		case domain.ErrorCode(err) == domain.CodeNotFound: // deleted meanwhile
		case err != nil:
			return nil, err
		case !s.Finished():
			return &location{found.SessionID, found.MessageID, true}, nil
		}
	}
	return c.store(ctx, in, key)
}

// sendByKey sends a message with an idempotency key, which finds the same message for as long as the
// session exists.
func (c *call) sendByKey(ctx context.Context, in *sendArguments) (*location, error) {
	hash := rounds.Hash("mcp key", c.identity.Name, in.SessionID, in.IdempotencyKey)
	found, err := c.known(ctx, hash)
	if err != nil {
		return nil, err
	}
	if found == nil {
		return c.store(ctx, in, &domain.HistoryKey{Hash: hash})
	}
	m, err := c.Record.Message(ctx, c.identity.Workspace, found.SessionID, found.MessageID)
	if err != nil {
		return nil, err
	}
	if m.Rich.Words() != in.Text {
		return nil, domain.Errorf(codeMismatch, "This idempotency_key was used for another message. Use a new one.")
	}
	return &location{found.SessionID, found.MessageID, true}, nil
}

// codeMismatch is the API's code for a key that was used for another request.
const codeMismatch domain.Code = "idempotency_mismatch"

// known returns the newest message with a hash.
func (c *call) known(ctx context.Context, hash string) (*domain.KnownHistory, error) {
	found, err := c.Histories.KnownHistories(ctx, c.identity.Workspace, [2]string{hash, hash})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// store sends the message to the scheduler.
func (c *call) store(ctx context.Context, in *sendArguments, key *domain.HistoryKey) (*location, error) {
	message := domain.NewMessage{
		Rich: domain.RichContent{LinearText: in.Text, Segments: []domain.Segment{{Type: "text", Text: in.Text}}},
		By:   c.identity.Author(), History: key,
	}
	var receipt *domain.Receipt
	var err error
	if in.SessionID != "" {
		receipt, err = c.Commands.SendMessage(ctx, c.identity.Workspace, in.SessionID, message)
	} else {
		receipt, err = c.Commands.CreateSession(ctx, c.identity.Workspace, domain.NewSession{
			Type: domain.Chat, Message: &message, By: c.identity.Name,
		})
	}
	if err != nil {
		return nil, err
	}
	return &location{session: receipt.Session.ID, message: receipt.Message.ID}, nil
}

// sendMessage sends a message and waits for its round.
func sendMessage(c *call, ctx context.Context, in *toolRequest) (any, error) {
	var args sendArguments
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	at, err := c.locationOf(ctx, in, &args)
	if err != nil {
		return nil, err
	}
	s, err := c.wait(ctx, in.CallToolRequest, at.session, args.limit(), func(ctx context.Context) (*rounds.Progress, error) {
		return c.reader().Message(ctx, at.session, at.message)
	})
	if err != nil {
		return nil, err
	}
	if form, err := c.elicitation(in.CallToolRequest, s, at); form != nil || err != nil {
		return form, err
	}
	return c.resultOf(s, at.repeated), nil
}

// startMessage sends a message without waiting.
func startMessage(c *call, ctx context.Context, in *toolRequest) (*rounds.Progress, error) {
	var args sendArguments
	if err := in.decode(&args); err != nil {
		return nil, err
	}
	at, err := c.send(ctx, &args)
	if err != nil {
		return nil, err
	}
	return c.reader().Message(ctx, at.session, at.message)
}

// locationOf returns the location of the message of a call. A call that is repeated with an answer
// submits that answer.
func (c *call) locationOf(ctx context.Context, in *toolRequest, args *sendArguments) (*location, error) {
	if in.Params.RequestState == "" {
		return c.send(ctx, args)
	}
	return c.resume(ctx, in.Params)
}

// resultOf returns the progress as a tool result, in both forms that clients read.
func (c *call) resultOf(s *rounds.Progress, again bool) *mcp.CallToolResult {
	out := c.outcome(s)
	out.Attached = again
	result := structured(out)
	if text := out.describe(); text != "" {
		result.Content = []mcp.Content{&mcp.TextContent{Text: truncated(text)}}
	}
	result.IsError = s.Incomplete || s.State == rounds.Failed
	return result
}
