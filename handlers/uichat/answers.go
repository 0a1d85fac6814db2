package uichat

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// clientAnswer is the answer of a person to one approval: a decision on each of its calls, or the
// output of the call that asked.
type clientAnswer struct {
	id       string
	approved []string // ids of executions; "" for the approval as a whole
	rejected []string
	reason   string
	output   json.RawMessage
	failed   bool // the call that asked has an error as its output
}

// answersOf returns the answers in the message of a front end, by approval, in their order.
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

// answer submits the answers, if all of them are valid.
func (x *round) answer(ctx context.Context, all []*clientAnswer) error {
	if len(all) == 0 {
		return nil
	}
	at, err := x.Progress(ctx)
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
		if err := x.Answer(ctx, g.id, *decisions[i]); err != nil {
			return err
		}
	}
	return nil
}

// decide returns the decision of an answer; nil for the output of a call that was submitted before.
func (x *round) decide(ctx context.Context, at *rounds.Progress, g *clientAnswer) (*domain.Decision, error) {
	a, err := x.Approval(ctx, at, g.id)
	if err != nil {
		return nil, err
	}
	if (g.output != nil || g.failed) && a.Status != domain.ApprovalStatusOpen {
		return nil, nil //nolint:nilnil // the front end shows the stored answer
	}
	answer, err := g.apiAnswer(a)
	if err != nil {
		return nil, err
	}
	text, _ := json.Marshal(answer) // consists of JSON values: cannot fail
	decision, err := x.Decision(text, a.Kind)
	return &decision, err
}

// apiAnswer returns the answer in the form of the API.
func (g *clientAnswer) apiAnswer(a *domain.Approval) (fields, error) {
	approved := len(g.approved) > 0
	if slices.ContainsFunc(g.approved, func(id string) bool { return slices.Contains(g.rejected, id) }) {
		return nil, domain.Invalid("/messages", "contradiction", "A call is approved in one part and rejected in another. Nothing was changed.")
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
			return nil, domain.Invalid("/messages", "not_allowed", "The program that sent the message runs these tools and submits the results. "+
				"Other clients can only end the wait: give the call %s an error as its output. Nothing was changed.", a.ID)
		}
		return fields{"approved": false}, nil
	}
	return fields{"approved": approved}, nil
}

// actionsAnswer returns the answer to an approval of several calls, each of which needs a decision.
func (g *clientAnswer) actionsAnswer(a *domain.Approval) (fields, error) {
	if len(a.Actions) == 1 {
		return g.withComment(fields{"approved": len(g.approved) > 0}), nil
	}
	for _, action := range a.Actions {
		if !slices.Contains(g.approved, action.ID) && !slices.Contains(g.rejected, action.ID) {
			return nil, domain.Invalid("/messages", "incomplete", "All calls of an approval must be answered in one request; %s is not.", action.ID)
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
