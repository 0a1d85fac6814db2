package scheduler

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/branch"
)

// Again runs the last round of a chat once more, and chooses between its answers, through the
// door.
type Again struct {
	Door      *Door
	Store     AgainStore
	Providers Providers
}

// AgainStore is what is read of a record before its last round is run again.
type AgainStore interface {
	Session(ctx context.Context, workspace, id string) (*domain.Session, error)
	// LastRound is the end of the record: all that belongs to its last question, at least.
	LastRound(ctx context.Context, workspace, session string) ([]*domain.Message, error)
	ExecutionsOf(ctx context.Context, workspace, session string, answers []string) ([]*domain.Execution, error)
	// ForkPoint is what a fork at a message is made of.
	ForkPoint(ctx context.Context, workspace, session, message string) (*branch.ForkPoint, error)
}

// RetrySession runs the last round of an idle chat again. Its earlier answer is superseded in the same
// transaction. If the session waits for the network, the call is made now.
func (a *Again) RetrySession(ctx context.Context, workspace, session string, ask domain.RetryRequest) (*domain.Receipt, error) {
	if err := CheckProvider(ctx, a.Providers, workspace, ask.ProviderID); err != nil {
		return nil, err
	}
	return a.onRecord(ctx, workspace, session, func(r lastRound) Request { return retryRequest{r, ask} })
}

// ChooseAnswer makes an earlier answer of the last round the current one. What the others have
// changed stays changed.
func (a *Again) ChooseAnswer(ctx context.Context, workspace, session, message string, by domain.Author) (*domain.Receipt, error) {
	return a.onRecord(ctx, workspace, session, func(r lastRound) Request { return choiceRequest{r, message, by} })
}

// choiceRequest makes another answer of the last round the current one.
type choiceRequest struct {
	lastRound
	message string
	by      domain.Author
}

func (r choiceRequest) event(v *domain.View, _ moment) (domain.Event, error) {
	if r.moved(v) {
		return nil, errRecordMoved
	}
	if v.Session.Type != domain.Chat || v.Session.Phase != domain.Idle {
		return domain.AnswerChosen{By: r.by}, nil // the machine returns the reason
	}
	plan := branch.PlanChoice(r.messages, r.message)
	if plan == nil {
		return nil, domain.Errorf(domain.CodeNotLastRound, "Only an answer of the last round can be chosen: others have been "+
			"built on by now. Nothing was changed; make a fork after that answer to go on from it.")
	}
	if len(plan.Superseded)+len(plan.Current) == 0 {
		return nil, errNothingToDo
	}
	return domain.AnswerChosen{By: r.by, Plan: *plan}, nil
}

// lastRound is the end of a session's record, as a request about it needs it: it is read before the decision.
type lastRound struct {
	Target
	session  *domain.Session
	messages []*domain.Message
	effects  []*domain.Execution
	lost     bool // the provider of the session is gone
	asked    bool // a fork whose record ends with a question of the original session
}

// moved reports whether something was added to the record since it was read.
func (r *lastRound) moved(v *domain.View) bool { return v.Session.LastSeq != r.session.LastSeq }

// errRecordMoved: something was added to the record since it was read.
var errRecordMoved = errors.New("the record moved on while it was read")

// maxReads limits how often a growing record is read again.
const maxReads = 5

// onRecord delivers a request about the end of a record, which is read before the decision and outside its
// locks: under them it is only seen that nothing came after it.
func (a *Again) onRecord(
	ctx context.Context, workspace, session string, request func(lastRound) Request,
) (*domain.Receipt, error) {
	for range maxReads {
		r, err := a.read(ctx, workspace, session)
		if err != nil {
			return nil, err
		}
		o, err := a.Door.Deliver(ctx, request(*r))
		switch {
		case errors.Is(err, errNothingToDo):
			return &domain.Receipt{Session: r.session, Seq: r.session.LastSeq}, nil
		case errors.Is(err, errRecordMoved):
			continue
		case err != nil:
			return nil, err
		}
		receipt := o.Receipt()
		receipt.Message = newest(o.Change)
		return receipt, nil
	}
	return nil, domain.ErrStale
}

func (a *Again) read(ctx context.Context, workspace, session string) (*lastRound, error) {
	r := &lastRound{Target: Target{Workspace: workspace, Session: session}}
	var err error
	if r.session, err = a.Store.Session(ctx, workspace, session); err != nil {
		return nil, err
	}
	if r.session.Type != domain.Chat || r.session.Phase != domain.Idle {
		return r, nil
	}
	if id := r.session.ProviderID; id != "" {
		_, err = a.Providers.Provider(ctx, workspace, id)
		if r.lost = domain.ErrorCode(err) == domain.CodeNotFound; err != nil && !r.lost {
			return nil, err
		}
	}
	if r.messages, err = a.Store.LastRound(ctx, workspace, session); err != nil {
		return nil, err
	}
	if of := r.session.Origin; of != nil && branch.LastRound(r.messages) == nil {
		point, err := a.Store.ForkPoint(ctx, workspace, session, of.MessageID)
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return nil, err
		}
		r.asked = err == nil && point.Message.Sender == domain.SenderUser
	}
	var answers []string
	for _, m := range branch.LastRound(r.messages) {
		if m.Sender == domain.SenderAI {
			answers = append(answers, m.ID)
		}
	}
	all, err := a.Store.ExecutionsOf(ctx, workspace, session, answers)
	r.effects = branch.Effects(all)
	return r, err
}

// retryRequest runs the last round again.
type retryRequest struct {
	lastRound
	ask domain.RetryRequest
}

// event decides how the round is run again, or why it is not.
func (r retryRequest) event(v *domain.View, m moment) (domain.Event, error) {
	if r.moved(v) {
		return nil, errRecordMoved
	}
	s, ask, event := v.Session, r.ask, domain.RoundRequested{By: r.ask.By}
	if s.Phase == domain.WaitingNetworkRetry && (ask.Message != nil || ask.ProviderID+ask.Model != "") {
		return nil, domain.Errorf(domain.CodeWrongSessionType, "Only a chat is asked again in other words, or on another model.")
	}
	if s.Type != domain.Chat || s.Phase != domain.Idle {
		return event, nil // the machine accepts it, or returns the reason
	}
	if len(v.Inbox) > 0 || s.State.PendingCause != "" {
		return nil, domain.Errorf(domain.CodeSessionBusy,
			"Something waits its turn in this session already. Withdraw it, or let it come; nothing was changed.")
	}
	plan := branch.PlanRetry(r.messages, &ask)
	if plan == nil && r.asked && ask.Message == nil {
		plan = &domain.RetryPlan{Again: domain.Again{ProviderID: ask.ProviderID, Model: ask.Model}}
	}
	switch {
	case plan == nil:
		return nil, domain.Errorf(domain.CodeNothingToRetry, "This chat has no round that could be run again. Send a message.")
	case r.lost && ask.ProviderID == "":
		return nil, domain.Errorf(domain.CodeProviderMissing,
			"The provider of this session was deleted. Name another one with provider_id; nothing was changed.")
	case plan.RoundID == "" && len(r.effects) > 0 && !ask.DespiteEffects:
		return nil, &domain.Error{Code: domain.CodeRoundHasEffects, Executions: r.effects,
			Message: "This round has changed something, or may have. A second try takes nothing back. " +
				"Look at what it did, then send despite_effects: true to run it again all the same. Nothing was changed."}
	}
	if plan.RoundID == "" {
		plan.Remains = r.effects
	}
	if ask.Message != nil {
		words := *ask.Message
		if ask.KeepsFiles {
			words.Rich = words.Rich.WithFilesOf(plan.Superseded)
		}
		plan.Message = m.userMessage(s, words).Message
	} else if plan.Words != nil {
		plan.Message = m.userMessage(s, domain.NewMessage{
			Rich: *plan.Words.Rich, By: ask.By, Payer: plan.Words.Payer, Tools: plan.Words.Tools,
		}).Message
	}
	event.Plan = plan
	return event, nil
}
