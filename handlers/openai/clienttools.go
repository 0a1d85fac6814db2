package openai

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/handlers/standing"
)

// A client's own tools: the AI of a session is offered them beside the commands, its calls are
// given back to the client, and what the client found comes with the next request.

// tools are those of a request; nil: none.
func (r *request) tools() (*domain.ClientTools, error) {
	specs, err := r.commands()
	if err != nil || len(specs) == 0 {
		return nil, err
	}
	tools := &domain.ClientTools{OneAtATime: r.Parallel != nil && !*r.Parallel}
	for _, s := range specs {
		tools.List = append(tools.List, domain.ClientTool{Name: s.Name, Description: s.Description, Params: s.Params})
	}
	return tools, nil
}

// checkTools refuses tools that cannot be offered.
func (a *asking) checkTools(ctx context.Context) error {
	if a.tools == nil {
		return nil
	}
	pointer := a.toolPointer
	if pointer == nil {
		pointer = func(i int) string { return fmt.Sprintf("/tools/%d", i) }
	}
	return standing.CheckTools(ctx, a.Providers, a.who.Workspace, a.tools.List, pointer)
}

// resultsIn are the results of tools with which a request ends; nil: it ends with something else.
func resultsIn(all []said) *standing.Results {
	r := &standing.Results{}
	for _, m := range withoutInstructions(all) {
		if m.role != roleTool {
			r = &standing.Results{}
			continue
		}
		r.Add(m.call, m.text, m.at+m.callAt)
	}
	if len(r.IDs) == 0 {
		return nil
	}
	return r
}

func withoutInstructions(all []said) []said {
	var own []said
	for _, m := range all {
		if m.role != roleSystem && m.role != roleDeveloper {
			own = append(own, m)
		}
	}
	return own
}

// checkLate refuses results that come together with the next message: the round that waits for
// them would be over before it has read them.
func (a *asking) checkLate(ctx context.Context, all []said) error {
	own := withoutInstructions(all)
	if len(own) == 0 {
		return nil
	}
	late := resultsIn(own[:len(own)-1])
	if late == nil {
		return nil
	}
	stored, err := late.Asked(ctx, a.Record, a.who.Workspace)
	if err == nil && stored.Status == domain.ApprovalStatusOpen {
		return domain.Invalid(late.At[0], "not_allowed",
			"These results are still waited for. Send them first, as the last messages of a request, and the next message when they are answered.")
	}
	return nil // of a round that is over, or from elsewhere: it is history
}

// bring gives a session what the client's tools found, and says where what follows is told.
func (a *asking) bring(ctx context.Context, results *standing.Results) (*place, error) {
	stored, err := results.Asked(ctx, a.Record, a.who.Workspace)
	if err != nil {
		return nil, err
	}
	return a.bringTo(ctx, stored, results)
}

// bringTo does so for the approval that waits for them.
func (a *asking) bringTo(ctx context.Context, stored *domain.Approval, results *standing.Results) (*place, error) {
	if a.listen(stored.SessionID); a.provider != "" {
		if err := a.switchProvider(ctx, stored.SessionID); err != nil {
			return nil, err
		}
	}
	if err := results.Bring(ctx, a.Door, stored, a.who.Author(), a.about); err != nil {
		return nil, err
	}
	session, message, err := standing.Placed(ctx, a.Record, stored)
	if err != nil {
		return nil, err
	}
	at := placed(session, message)
	at.again = stored.Status != domain.ApprovalStatusOpen
	return at, nil
}

// forClient says whether a round waits for tools of the client.
func (a *ask) forClient() bool { return a != nil && a.Kind == domain.ApprovalClientCalls }

// calls are those that the client is to run.
func (a *ask) calls(piece bool) []wireCall {
	calls := make([]wireCall, len(a.Actions))
	for i, action := range a.Actions {
		calls[i] = wireCall{
			ID: domain.ClientCallID(a.ApprovalID, i), Type: "function",
			Function: wireFunction{Name: action.Command, Arguments: standing.Arguments(action.Params)},
		}
		if piece {
			calls[i].Index = &i
		}
	}
	return calls
}
