package openai

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
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
func (a *requestState) checkTools(ctx context.Context) error {
	if a.tools == nil {
		return nil
	}
	pointer := a.toolPointer
	if pointer == nil {
		pointer = func(i int) string { return fmt.Sprintf("/tools/%d", i) }
	}
	return rounds.CheckTools(ctx, a.Providers, a.identity.Workspace, a.tools.List, pointer)
}

// resultsIn are the results of tools with which a request ends; nil: it ends with something else.
func trailingResults(all []inputMessage) *rounds.Results {
	r := &rounds.Results{}
	for _, m := range withoutInstructions(all) {
		if m.role != roleTool {
			r = &rounds.Results{}
			continue
		}
		r.Add(m.call, m.text, m.at+m.callAt)
	}
	if len(r.IDs) == 0 {
		return nil
	}
	return r
}

func withoutInstructions(all []inputMessage) []inputMessage {
	var own []inputMessage
	for _, m := range all {
		if m.role != roleSystem && m.role != roleDeveloper {
			own = append(own, m)
		}
	}
	return own
}

// checkLate refuses results that come together with the next message: the round that waits for
// them would be over before it has read them.
func (a *requestState) checkLateResults(ctx context.Context, all []inputMessage) error {
	own := withoutInstructions(all)
	if len(own) == 0 {
		return nil
	}
	late := trailingResults(own[:len(own)-1])
	if late == nil {
		return nil
	}
	approval, err := late.Approval(ctx, a.Record, a.identity.Workspace)
	if err == nil && approval.Status == domain.ApprovalStatusOpen {
		return domain.Invalid(late.Pointers[0], "not_allowed",
			"These results are still waited for. Send them first, as the last messages of a request, and the next message when they are answered.")
	}
	return nil // of a round that is over, or from elsewhere: it is history
}

// bring gives a session what the client's tools found, and says where what follows is told.
func (a *requestState) submitResults(ctx context.Context, results *rounds.Results) (*location, error) {
	approval, err := results.Approval(ctx, a.Record, a.identity.Workspace)
	if err != nil {
		return nil, err
	}
	return a.submitResultsTo(ctx, approval, results)
}

// bringTo does so for the approval that waits for them.
func (a *requestState) submitResultsTo(ctx context.Context, approval *domain.Approval, results *rounds.Results) (*location, error) {
	if a.listen(approval.SessionID); a.provider != "" {
		if err := a.switchProvider(ctx, approval.SessionID); err != nil {
			return nil, err
		}
	}
	if err := results.Submit(ctx, a.Door, approval, a.identity.Author(), a.metadata); err != nil {
		return nil, err
	}
	session, message, err := rounds.ResultsMessage(ctx, a.Record, approval)
	if err != nil {
		return nil, err
	}
	at := placed(session, message)
	at.repeated = approval.Status != domain.ApprovalStatusOpen
	return at, nil
}

// forClient says whether a round waits for tools of the client.
func (a *openApproval) forClient() bool { return a != nil && a.Kind == domain.ApprovalClientCalls }

// calls are those that the client is to run.
func (a *openApproval) calls(piece bool) []wireCall {
	calls := make([]wireCall, len(a.Actions))
	for i, action := range a.Actions {
		calls[i] = wireCall{
			ID: domain.ClientCallID(a.ApprovalID, i), Type: "function",
			Function: wireFunction{Name: action.Command, Arguments: rounds.Arguments(action.Params)},
		}
		if piece {
			calls[i].Index = &i
		}
	}
	return calls
}
