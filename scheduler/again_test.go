package scheduler

import (
	"context"
	"slices"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// recordOf is a record that was read before a decision.
type recordOf struct {
	*world
	messages   []*domain.Message
	executions []*domain.Execution
	reads      int
	// moves: that often the session has moved on since it was read.
	moves int
}

func (r *recordOf) Session(context.Context, string, string) (*domain.Session, error) {
	have := r.view.Session.Clone()
	if r.reads++; r.reads <= r.moves {
		have.LastSeq--
	}
	return have, nil
}

func (r *recordOf) LastRound(context.Context, string, string) ([]*domain.Message, error) {
	return r.messages, nil
}

func (r *recordOf) ExecutionsOf(context.Context, string, string, []string) ([]*domain.Execution, error) {
	return r.executions, nil
}

func (r *recordOf) ForkPoint(context.Context, string, string, string) (*branch.ForkPoint, error) {
	if len(r.messages) == 0 {
		return nil, domain.NotFound("message")
	}
	last := r.messages[len(r.messages)-1]
	return &branch.ForkPoint{Session: r.view.Session, Message: last, Round: branch.LastRound(r.messages)}, nil
}

func askedOnce() []*domain.Message {
	return []*domain.Message{
		{ID: "msg_1", SessionID: "me", RoundID: "rnd_a", Seq: 1, Sender: domain.SenderUser, Status: domain.MessageStored,
			Rich: &domain.RichContent{LinearText: "Which one?"}},
		{ID: "msg_2", SessionID: "me", RoundID: "rnd_a", Seq: 2, Sender: domain.SenderAI, Status: domain.MessageStored,
			AI: &domain.AIMessage{PreText: "The first."}},
	}
}

// TestAgain covers retries and corrections of the last round of a chat, and their results.
func TestAgain(t *testing.T) {
	answered := func(s *domain.Session) {
		s.State.RoundID, s.State.RoundCause, s.State.RoundMessageID = "rnd_a", domain.CauseUserMessage, "msg_1"
	}
	others := func(s *domain.Session) { s.ProviderID = "gone" }
	waits := func(s *domain.Session) { s.State.PendingCause = domain.CauseManualTrigger }
	changed := []*domain.Execution{{ID: "exe_1", Command: "CREATE_ZONE", Kind: domain.KindAction, Status: domain.ExecSuccess}}
	unknown := []*domain.Execution{{ID: "exe_1", Command: "BANK.PAY", Kind: domain.KindAction, Status: domain.ExecUnknown}}
	running := []*domain.Execution{{ID: "exe_1", Command: "REPORT", Kind: domain.KindAction, Status: domain.ExecPending}}
	onlyRead := []*domain.Execution{{ID: "exe_1", Command: "ZONES", Kind: domain.KindQuery, Status: domain.ExecSuccess}}
	words := &domain.NewMessage{Rich: domain.RichContent{LinearText: "Which two?"}}
	for name, c := range map[string]struct {
		view       *domain.View
		record     []*domain.Message
		executions []*domain.Execution
		moves      int
		ask        domain.RetryRequest
		code       domain.Code
		superseded []string
	}{
		"the slot is free":         {view(chat("me", domain.Idle, answered), nil), askedOnce(), onlyRead, 0, domain.RetryRequest{}, "", []string{"msg_2"}},
		"it moved on meanwhile":    {view(chat("me", domain.Idle, answered), nil), askedOnce(), nil, 2, domain.RetryRequest{}, "", []string{"msg_2"}},
		"in other words":           {view(chat("me", domain.Idle, answered), nil), askedOnce(), nil, 0, domain.RetryRequest{Message: words}, "", []string{"msg_1", "msg_2"}},
		"on another provider":      {view(chat("me", domain.Idle, answered), nil), askedOnce(), nil, 0, domain.RetryRequest{ProviderID: "prv"}, "", []string{"msg_2"}},
		"it changed something":     {view(chat("me", domain.Idle, answered), nil), askedOnce(), changed, 0, domain.RetryRequest{}, domain.CodeRoundHasEffects, nil},
		"with an unknown outcome":  {view(chat("me", domain.Idle, answered), nil), askedOnce(), unknown, 0, domain.RetryRequest{}, domain.CodeRoundHasEffects, nil},
		"still running outside":    {view(chat("me", domain.Idle, answered), nil), askedOnce(), running, 0, domain.RetryRequest{Message: words}, domain.CodeRoundHasEffects, nil},
		"in spite of that":         {view(chat("me", domain.Idle, answered), nil), askedOnce(), changed, 0, domain.RetryRequest{DespiteEffects: true}, "", []string{"msg_2"}},
		"at work":                  {holding(chat("me", domain.CallingAI)), askedOnce(), nil, 0, domain.RetryRequest{}, domain.CodeWrongPhase, nil},
		"it waits for a person":    {holding(chat("me", domain.WaitingValidation)), askedOnce(), nil, 0, domain.RetryRequest{}, domain.CodeWrongPhase, nil},
		"nothing was asked":        {view(chat("me", domain.Idle), nil), nil, nil, 0, domain.RetryRequest{}, domain.CodeNothingToRetry, nil},
		"it is asked for already":  {view(chat("me", domain.Idle, answered, waits), nil), askedOnce(), nil, 0, domain.RetryRequest{}, domain.CodeSessionBusy, nil},
		"on a provider that isn't": {view(chat("me", domain.Idle, answered), nil), askedOnce(), nil, 0, domain.RetryRequest{ProviderID: "gone"}, domain.CodeInvalid, nil},
		"its provider is gone":     {view(chat("me", domain.Idle, answered, others), nil), askedOnce(), nil, 0, domain.RetryRequest{}, domain.CodeProviderMissing, nil},
		"so another one answers":   {view(chat("me", domain.Idle, answered, others), nil), askedOnce(), nil, 0, domain.RetryRequest{ProviderID: "prv"}, "", []string{"msg_2"}},
		"a run, in other words":    {view(run("me", domain.WaitingNetworkRetry), nil), nil, nil, 0, domain.RetryRequest{Message: words}, domain.CodeWrongSessionType, nil},
		"it never stands still":    {view(chat("me", domain.Idle, answered), nil), askedOnce(), nil, 99, domain.RetryRequest{}, domain.CodeInternal, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, c.view)
			again := &Again{Door: w.door, Store: &recordOf{world: w, messages: c.record, executions: c.executions, moves: c.moves}, Providers: w}
			_, err := again.RetrySession(t.Context(), "ws", "me", c.ask)
			if (err == nil) != (c.code == "") || err != nil && domain.ErrorCode(err) != c.code {
				t.Fatal(err)
			}
			if err != nil {
				if len(w.changes) != 0 {
					t.Errorf("refused, and %d changes", len(w.changes))
				}
				return
			}
			change := w.changes[len(w.changes)-1]
			var superseded []string
			for _, m := range change.MarkedMessages {
				superseded = append(superseded, m.ID)
			}
			if !slices.Equal(superseded, c.superseded) {
				t.Errorf("superseded %v, want %v", superseded, c.superseded)
			}
			s := change.Sessions[len(change.Sessions)-1].Session
			if s.State.RetryOf != "rnd_a" || s.State.RoundProvider != c.ask.ProviderID || s.State.RoundID == "rnd_a" {
				t.Errorf("the round is %+v", s.State)
			}
		})
	}
}
