package uistream

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
)

// given is what a person answered to one approval: a yes or no to each of its calls, or what was
// put in as the output of the call that asked.
type given struct {
	id     string
	yes    []string // executions; what is approved as a whole has an empty one
	no     []string
	reason string
	output json.RawMessage
	left   bool // the call that asked was ended with an error
}

// answersOf are the answers in what a front end holds, by approval, in their order.
func answersOf(held *uiMessage) []*given {
	if held == nil {
		return nil
	}
	var all []*given
	of := func(id string) *given {
		i := slices.IndexFunc(all, func(g *given) bool { return g.id == id })
		if i < 0 {
			i, all = len(all), append(all, &given{id: id})
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
				g.yes = append(g.yes, execution)
			} else {
				g.no = append(g.no, execution)
			}
			if g.reason == "" {
				g.reason = p.Approval.Reason
			}
		case !strings.HasPrefix(p.CallID, domain.PrefixApproval+"_"):
		case p.State == "output-available":
			of(p.CallID).output = p.Output
		case p.State == "output-error":
			of(p.CallID).left = true
		}
	}
	return all
}

// answer brings the answers to the one door, when each can be taken.
func (x *round) answer(ctx context.Context, all []*given) error {
	if len(all) == 0 {
		return nil
	}
	at, err := x.standing(ctx)
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
		if _, err := x.Commands.AnswerApproval(ctx, x.who.Workspace, g.id, *decisions[i]); err != nil {
			return err
		}
	}
	return nil
}

// decide is what an answer decides; nil for the output of a call that was taken before.
func (x *round) decide(ctx context.Context, at *standing.Standing, g *given) (*domain.Decision, error) {
	a, err := x.Waiting.Approval(ctx, x.who.Workspace, g.id)
	if err != nil {
		return nil, err
	}
	if err := standing.Answerable(a, at.Open, x.Clock()); err != nil {
		return nil, err
	}
	if (g.output != nil || g.left) && a.Status != domain.ApprovalStatusOpen {
		return nil, nil //nolint:nilnil // the front end shows what was answered
	}
	answer, err := g.answer(a)
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(answer) // its parts are JSON already
	decision, err := x.Decision(text, a.Kind)
	if err != nil {
		return nil, err
	}
	decision.By = x.who.Author()
	return &decision, nil
}

// answer is an answer as the API takes it.
func (g *given) answer(a *domain.Approval) (fields, error) {
	yes := len(g.yes) > 0
	if slices.ContainsFunc(g.yes, func(id string) bool { return slices.Contains(g.no, id) }) {
		return nil, domain.Invalid("/messages", "contradiction", "What is approved is refused too, in another part. Nothing was changed.")
	}
	switch a.Kind {
	case domain.ApprovalQuestion:
		if g.left || g.output == nil {
			return fields{"cancelled": true}, nil
		}
		return fields{"value": g.output}, nil
	case domain.ApprovalOutcome:
		return fields{"outcome": g.output}, nil
	case domain.ApprovalCompletion:
		return g.reasoned(fields{"confirmed": yes}), nil
	case domain.ApprovalActions:
		return g.actions(a)
	case domain.ApprovalClientCalls:
		if !g.left && len(g.no) == 0 {
			return nil, domain.Invalid("/messages", "not_allowed", "The program that sent the message runs these tools, and brings the results. "+
				"Others can only stop waiting for it: end the call %s with an error. Nothing was changed.", a.ID)
		}
		return fields{"approved": false}, nil
	}
	return fields{"approved": yes}, nil
}

// actions is the answer to an approval of several calls: each of them has its own.
func (g *given) actions(a *domain.Approval) (fields, error) {
	if len(a.Actions) == 1 {
		return g.reasoned(fields{"approved": len(g.yes) > 0}), nil
	}
	for _, action := range a.Actions {
		if !slices.Contains(g.yes, action.ID) && !slices.Contains(g.no, action.ID) {
			return nil, domain.Invalid("/messages", "incomplete", "All calls of an approval are answered at once; %s is not.", action.ID)
		}
	}
	switch {
	case len(g.no) == 0:
		return fields{"approved": true}, nil
	case len(g.yes) == 0:
		return g.reasoned(fields{"approved": false}), nil
	}
	return g.reasoned(fields{"approved": true, "approved_ids": g.yes}), nil
}

func (g *given) reasoned(answer fields) fields {
	if g.reason != "" {
		answer["comment"] = g.reason
	}
	return answer
}
