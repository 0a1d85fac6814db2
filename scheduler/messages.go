package scheduler

import (
	"context"
	"slices"

	"github.com/fermata-dev/fermata/domain"
)

// Messages takes what people write, through the door.
type Messages struct {
	Door  *Door
	Store MessageStore
}

// MessageStore reads a message that is no longer waiting.
type MessageStore interface {
	Message(ctx context.Context, workspace, session, id string) (*domain.Message, error)
}

// SendMessage delivers a person's message to a session. When this returns it is stored, in its place or
// queued; or rejected, if too many are waiting.
func (m *Messages) SendMessage(ctx context.Context, workspace, session string, in domain.NewMessage) (*domain.Receipt, error) {
	o, err := m.Door.Deliver(ctx, messageRequest{Target: Target{Workspace: workspace, Session: session}, in: in})
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt()
	receipt.Message = stored(o.Change, sentIn(o.Event))
	return receipt, nil
}

// messageRequest is a person's message to a session.
type messageRequest struct {
	Target
	in domain.NewMessage
}

func (r messageRequest) event(v *domain.View, m moment) (domain.Event, error) {
	sent := m.userMessage(v.Session, r.in)
	if r.in.IfBusy != domain.IfBusyInterrupt || !v.Session.Phase.Working() || v.Session.State.Poisoned {
		return sent, nil
	}
	partial, text := m.partialOf(v.Session)
	return domain.InterruptRequested{By: r.in.By.ID, MessageID: partial, PartialText: text, Then: &sent}, nil
}

func (r messageRequest) also(v *domain.View, _ moment, e domain.Event, change *domain.Change) error {
	noteHistory(change, v.Session.ID, r.in.History, sentIn(e))
	return nil
}

// sentIn is the id of the message that an event brings; "": it brings none.
func sentIn(e domain.Event) string {
	switch e := e.(type) {
	case domain.UserMessageSent:
		return e.Message.ID
	case domain.InterruptRequested:
		if e.Then != nil {
			return e.Then.Message.ID
		}
	}
	return ""
}

// partialOf is the text of a session's answer that was streamed so far.
func (m moment) partialOf(s *domain.Session) (message, text string) {
	if m.partial == nil {
		return "", ""
	}
	return m.partial(s.ID)
}

// noteHistory stores with a message what history it came with.
func noteHistory(change *domain.Change, session string, key *domain.HistoryKey, message string) {
	if key == nil {
		return
	}
	change.Histories = append(change.Histories, domain.KnownHistory{
		HistoryKey: *key, WorkspaceID: change.WorkspaceID, SessionID: session, MessageID: message, CreatedAt: change.At,
	})
}

// stored finds a message as a change stores it.
func stored(change *domain.Change, id string) *domain.Message {
	for _, list := range [][]*domain.Message{change.Messages, change.PlacedMessages} {
		for _, m := range list {
			if m.ID == id {
				return m
			}
		}
	}
	return nil
}

// userMessage makes the event of a new message.
func (m moment) userMessage(s *domain.Session, in domain.NewMessage) domain.UserMessageSent {
	rich := in.Rich
	ifBusy := in.IfBusy
	if ifBusy == "" {
		ifBusy = domain.IfBusyEnqueue
	}
	return domain.UserMessageSent{
		Message: &domain.Message{
			ID: m.newID(domain.PrefixMessage), WorkspaceID: s.WorkspaceID, SessionID: s.ID,
			Timestamp: m.now, Sender: domain.SenderUser, Status: domain.MessageStored,
			SenderID: in.By.ID, SenderName: in.By.Name, SenderRole: in.By.Role, Payer: in.Payer, Rich: &rich, Tools: in.Tools,
		},
		IfBusy: ifBusy, Explicit: in.IfBusy != "", DedupeKey: in.DedupeKey, Trace: in.Trace,
	}
}

// EditMessage changes a message that still waits its turn. What another than its sender
// wrote has no more rights than both of them.
func (m *Messages) EditMessage(
	ctx context.Context, workspace, session, message string, rich domain.RichContent, by domain.Author,
) (*domain.Receipt, error) {
	o, err := m.deliverWaiting(ctx, message, editRequest{
		waitingRequest: waitingRequest{Target{Workspace: workspace, Session: session}, message}, rich: rich, by: by,
	})
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt()
	receipt.Message = o.Change.EditedMessages[0]
	return receipt, nil
}

// WithdrawMessage takes a message that still waits its turn back.
func (m *Messages) WithdrawMessage(ctx context.Context, workspace, session, message string) (*domain.Receipt, error) {
	o, err := m.deliverWaiting(ctx, message, withdrawalRequest{waitingRequest{Target{Workspace: workspace, Session: session}, message}})
	if err != nil {
		return nil, err
	}
	receipt := o.Receipt()
	receipt.Message = o.Change.DeletedMessages[0]
	return receipt, nil
}

// deliverWaiting delivers a request about a message that waits.
func (m *Messages) deliverWaiting(ctx context.Context, message string, r Request) (*Outcome, error) {
	o, err := m.Door.Deliver(ctx, r)
	if domain.ErrorCode(err) == domain.CodeMessagePlaced {
		to := r.target()
		if _, missing := m.Store.Message(ctx, to.Workspace, to.Session, message); missing != nil {
			return nil, missing
		}
	}
	return o, err
}

// waitingRequest is about one message that waits its turn. It is decided under the locks: the driver cannot place the
// message meanwhile.
type waitingRequest struct {
	Target
	message string
}

func (r waitingRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	if v.InboxBrief {
		return nil, domain.ErrInboxBrief
	}
	if waiting(v, r.message) == nil {
		return nil, errNotWaiting
	}
	return nil, nil
}

// editRequest gives a message that waits another content.
type editRequest struct {
	waitingRequest
	rich domain.RichContent
	by   domain.Author
}

func (r editRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	edited, rich := *waiting(v, r.message).Message, r.rich
	edited.Rich, edited.SenderRole = &rich, edited.SenderRole.AtMost(r.by.Role)
	change.EditedMessages = append(change.EditedMessages, &edited)
	change.Emit(domain.LogEvent{SessionID: v.Session.ID, Type: domain.LogMessageUpdated, Message: &edited})
	return nil
}

// withdrawalRequest takes back a message that waits.
type withdrawalRequest struct{ waitingRequest }

func (r withdrawalRequest) also(v *domain.View, _ moment, _ domain.Event, change *domain.Change) error {
	item := waiting(v, r.message)
	change.InboxDone = append(change.InboxDone, item.ID)
	change.DeletedMessages = append(change.DeletedMessages, item.Message)
	change.Emit(domain.LogEvent{SessionID: v.Session.ID, Type: domain.LogMessageDeleted, Message: item.Message})
	return nil
}

// waiting finds a message among those that wait their turn, or nil.
func waiting(v *domain.View, message string) *domain.InboxItem {
	i := slices.IndexFunc(v.Inbox, func(item *domain.InboxItem) bool { return item.MessageID == message })
	if i < 0 {
		return nil
	}
	return v.Inbox[i]
}

// roomToWait refuses a message that would wait behind too many others.
func roomToWait(v *domain.View, change *domain.Change) error {
	if len(change.Inbox)+len(change.EditedMessages) == 0 {
		return nil
	}
	count, bytes := len(v.Inbox)+len(change.Inbox)-len(change.InboxDone), 0
	edited := map[string]*domain.Message{}
	for _, m := range change.EditedMessages {
		edited[m.ID] = m
	}
	for _, item := range v.Inbox {
		if m := edited[item.MessageID]; m != nil {
			bytes += m.Rich.Bytes()
		} else {
			bytes += item.Bytes
		}
	}
	for _, item := range change.Inbox {
		bytes += item.Message.Rich.Bytes() + item.Message.Tools.Bytes()
	}
	switch {
	case len(change.Inbox) > 0 && count > domain.MaxWaiting:
		return domain.Errorf(domain.CodeQueueFull, "%d messages wait their turn in this session already. This one was not stored: "+
			"send it again when one of them was taken, or withdraw one.", domain.MaxWaiting)
	case bytes > domain.MaxWaitingBytes:
		return domain.Errorf(domain.CodeQueueFull, "The messages that wait their turn in this session hold %d MiB together at most. "+
			"This one was not stored: send it again when one of them was taken, or withdraw one.", domain.MaxWaitingBytes>>20)
	}
	return nil
}

var errNotWaiting = domain.Errorf(domain.CodeMessagePlaced,
	"This message is in its place already. Only a message that waits its turn can be changed or withdrawn.")
