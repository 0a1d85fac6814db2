package scheduler

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestWhatRequestsBring verifies the event that each kind of request brings to a session, or the refusal. A request is a
// value: here each is written down as a literal.
func TestWhatRequestsBring(t *testing.T) {
	by := domain.Author{ID: "ann"}
	words := domain.NewMessage{Rich: domain.RichContent{LinearText: "Hello."}, By: by, IfBusy: domain.IfBusyInterrupt}
	holding := func(phase domain.Phase, change ...func(*domain.Session)) *domain.View {
		s := chat("me", phase, change...)
		return view(s, s)
	}
	waits := &domain.Approval{ID: "apr", Kind: domain.ApprovalCompletion}
	asking := holding(domain.WaitingCompletionConfirmation)
	asking.Open = []*domain.Approval{waits}
	inbox := holding(domain.CallingAI)
	inbox.Inbox = []*domain.InboxItem{{ID: "inb", MessageID: "msg", Message: &domain.Message{ID: "msg"}}}
	answer := answering{kind: domain.ApprovalCompletion, decision: domain.Decision{ApprovalID: "apr", Approved: true}}
	other := answer
	other.decision.ApprovalID = "other"
	aboutIt, aboutOther := waitingRequest{message: "msg"}, waitingRequest{message: "other"}
	for name, c := range map[string]struct {
		view    *domain.View
		request Request
		event   string
		err     error
	}{
		"a message":                    {holding(domain.Idle), messageRequest{in: words}, "UserMessageSent msg_1", nil},
		"a message that interrupts":    {holding(domain.CallingAI), messageRequest{in: words}, "InterruptRequested msg_1 So far", nil},
		"to a poisoned session":        {holding(domain.CallingAI, poisoned), messageRequest{in: words}, "UserMessageSent msg_1", nil},
		"an interruption":              {holding(domain.CallingAI), interruptRequest{by: by}, "InterruptRequested So far", nil},
		"an answer":                    {asking, answerRequest{answering: answer}, "CompletionConfirmed", nil},
		"an answer to nothing":         {asking, answerRequest{answering: other}, "", errSettled},
		"an edit":                      {inbox, editRequest{waitingRequest: aboutIt}, "", nil},
		"an edit of a placed message":  {inbox, editRequest{waitingRequest: aboutOther}, "", errNotWaiting},
		"a withdrawal":                 {inbox, withdrawalRequest{aboutIt}, "", nil},
		"a patch":                      {holding(domain.CallingAI), patchRequest{}, "", nil},
		"a deletion at rest":           {holding(domain.Idle), deletionRequest{}, "StopRequested", nil},
		"a deletion of one that ended": {holding(domain.Completed), deletionRequest{}, "", nil},
		"a release at rest":            {holding(domain.Idle), releaseRequest{}, "SessionEvicted", nil},
		"a release without the slot":   {view(chat("me", domain.Idle), nil), releaseRequest{}, "", errNothingToDo},
		"an activation":                {view(chat("me", domain.Idle), nil), activationRequest{}, "SessionActivationRequested", nil},
		"an activation with the slot":  {holding(domain.Idle), activationRequest{}, "", errNothingToDo},
		"a recovery":                   {holding(domain.CallingAI), takeUpRequest{gone: true}, "SessionActivationRequested", nil},
		"a recovery that came late":    {holding(domain.CallingAI), takeUpRequest{epoch: 7}, "", errNothingToDo},
		"a heartbeat":                  {holding(domain.CallingAI, wakeAt(noon)), heartbeatRequest{}, "SchedulerHeartbeat", nil},
		"a heartbeat that came early":  {holding(domain.CallingAI, wakeAt(noon.Add(1))), heartbeatRequest{}, "", errNothingToDo},
		"an absolution without reason": {holding(domain.CallingAI), absolutionRequest{}, "", errNothingToDo},
		"a trial of an agent":          {holding(domain.CallingAI), trialRequest{}, "SessionActivationRequested", nil},
		"the end of a wait":            {holding(domain.CallingAI), EventRequest{Event: domain.NetworkAvailable{}}, "NetworkAvailable", nil},
		"a task":                       {holding(domain.CallingAI), TaskRequest{}, "", nil},
		"a chat with a message":        {view(nil, nil), creationRequest{Target: Target{New: chat("me", domain.Idle)}, message: &words}, "UserMessageSent msg_1", nil},
		"a chat without one":           {view(nil, nil), creationRequest{Target: Target{New: chat("me", domain.Idle)}}, "", nil},
		"a fork without one":           {view(nil, nil), forkRequest{Target: Target{New: chat("me", domain.Idle)}}, "", nil},
		"a retry of what moved on": {holding(domain.Idle), retryRequest{lastRound: lastRound{session: &domain.Session{LastSeq: 9}}}, "",
			errRecordMoved},
		"a choice of what moved on": {holding(domain.Idle), choiceRequest{lastRound: lastRound{session: &domain.Session{LastSeq: 9}}}, "",
			errRecordMoved},
	} {
		m := noonRules().moment
		m.partial = func(string) (message, text string) { return "msg_partial", "So far" }
		e, err := c.request.event(c.view, m)
		if got := briefly(e); got != c.event || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, err, c.event, c.err)
		}
		if text := fmt.Sprintf("%+v", c.request); strings.Contains(text, "PANIC") {
			t.Errorf("%s cannot be logged: %s", name, text)
		}
	}
}

// briefly is an event by its name, with the message and the text that it brings.
func briefly(e domain.Event) string {
	if e == nil {
		return ""
	}
	parts := []string{e.Name()}
	if id := sentIn(e); id != "" {
		parts = append(parts, id)
	}
	if cut, ok := e.(domain.InterruptRequested); ok {
		parts = append(parts, cut.PartialText)
	}
	return strings.Join(parts, " ")
}
