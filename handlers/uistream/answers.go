package uistream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// given is what a person answered to one approval: a yes or no to each of its calls, or what was
// put in as the output of the call that asked.
type clientAnswer struct {
	id       string
	approved []string // executions; what is approved as a whole has an empty one
	rejected []string
	reason   string
	output   json.RawMessage
	failed   bool // the call that asked was ended with an error
}

// answersOf are the answers in what a front end holds, by approval, in their order.
func answersOf(held *uiMessage) []*clientAnswer {
	if held == nil {
		return nil
	}
	var all []*clientAnswer
	of := func(id string) *clientAnswer {
		i := slices.IndexFunc(all, func(g *clientAnswer) bool { return g.id == id })
		if i < 0 {
			i, all = len(all), append(all, &clientAnswer{id: id})
		}
		return all[i]
	}
	for _, p := range held.lastStep() {
		switch {
		case !p.isTool():
		case p.State == "approval-responded" && p.Approval != nil && p.Approval.Approved != nil:
			id, execution, _ := strings.Cut(p.Approval.ID, ".")
			g := of(id)
			if *p.Approval.Approved {
				g.approved = append(g.approved, execution)
			} else {
				g.rejected = append(g.rejected, execution)
			}
			if g.reason == "" {
				g.reason = p.Approval.Reason
			}
		case !strings.HasPrefix(p.CallID, domain.PrefixApproval+"_"):
		case p.State == "output-available":
			of(p.CallID).output = p.Output
		case p.State == "output-error":
			of(p.CallID).failed = true
		}
	}
	return all
}

// answer brings the answers to the one door, when each can be taken.
func (x *round) answer(ctx context.Context, all []*clientAnswer) error {
	if len(all) == 0 {
		return nil
	}
	at, err := x.progress(ctx)
	if err != nil {
		return err
	}
	decisions := make([]*domain.Decision, len(all))
	for i, g := range all {
		if decisions[i], err = x.decide(ctx, at, g); err != nil {
			return err
		}
	}
	for i, g := range all {
		if decisions[i] == nil {
			continue
		}
		if _, err := x.Commands.AnswerApproval(ctx, x.identity.Workspace, g.id, *decisions[i]); err != nil {
			return err
		}
	}
	return nil
}

// decide is what an answer decides; nil for the output of a call that was taken before.
func (x *round) decide(ctx context.Context, at *rounds.Progress, g *clientAnswer) (*domain.Decision, error) {
	a, err := x.Approvals.Approval(ctx, x.identity.Workspace, g.id)
	if err != nil {
		return nil, err
	}
	if err := rounds.CheckAnswerable(a, at.Open, x.Clock()); err != nil {
		return nil, err
	}
	if (g.output != nil || g.failed) && a.Status != domain.ApprovalStatusOpen {
		return nil, nil //nolint:nilnil // the front end shows what was answered
	}
	answer, err := g.apiAnswer(a)
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(answer) // its parts are JSON already
	decision, err := x.Decision(text, a.Kind)
	if err != nil {
		return nil, err
	}
	decision.By = x.identity.Author()
	return &decision, nil
}

// answer is an answer as the API takes it.
func (g *clientAnswer) apiAnswer(a *domain.Approval) (fields, error) {
	approved := len(g.approved) > 0
	if slices.ContainsFunc(g.approved, func(id string) bool { return slices.Contains(g.rejected, id) }) {
		return nil, domain.Invalid("/messages", "contradiction", "What is approved is refused too, in another part. Nothing was changed.")
	}
	switch a.Kind {
	case domain.ApprovalQuestion:
		if g.failed || g.output == nil {
			return fields{"cancelled": true}, nil
		}
		return fields{"value": g.output}, nil
	case domain.ApprovalOutcome:
		return fields{"outcome": g.output}, nil
	case domain.ApprovalCompletion:
		return g.withComment(fields{"confirmed": approved}), nil
	case domain.ApprovalActions:
		return g.actionsAnswer(a)
	case domain.ApprovalClientCalls:
		if !g.failed && len(g.rejected) == 0 {
			return nil, domain.Invalid("/messages", "not_allowed", "The program that sent the message runs these tools, and brings the results. "+
				"Others can only stop waiting for it: end the call %s with an error. Nothing was changed.", a.ID)
		}
		return fields{"approved": false}, nil
	}
	return fields{"approved": approved}, nil
}

// actions is the answer to an approval of several calls: each of them has its own.
func (g *clientAnswer) actionsAnswer(a *domain.Approval) (fields, error) {
	if len(a.Actions) == 1 {
		return g.withComment(fields{"approved": len(g.approved) > 0}), nil
	}
	for _, action := range a.Actions {
		if !slices.Contains(g.approved, action.ID) && !slices.Contains(g.rejected, action.ID) {
			return nil, domain.Invalid("/messages", "incomplete", "All calls of an approval are answered at once; %s is not.", action.ID)
		}
	}
	switch {
	case len(g.rejected) == 0:
		return fields{"approved": true}, nil
	case len(g.approved) == 0:
		return g.withComment(fields{"approved": false}), nil
	}
	return g.withComment(fields{"approved": true, "approved_ids": g.approved}), nil
}

func (g *clientAnswer) withComment(answer fields) fields {
	if g.reason != "" {
		answer["comment"] = g.reason
	}
	return answer
}
