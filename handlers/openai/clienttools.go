package openai

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// Tools of a client are offered to the AI of a session in addition to the commands. Its calls are
// returned to the client, which submits their results with the next request.

// tools returns the tools of a request; nil if there are none.
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

// checkTools rejects tools that cannot be offered.
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

// trailingResults returns the tool results that a request ends with; nil if it ends with something
// else.
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

// checkLateResults rejects results that are sent together with the next message: the round that
// waits for them would be ended by the message.
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
			"A round still waits for these results. Send them first, as the last messages of a request, and the next message after their answer.")
	}
	return nil // history: of a round that is over, or of another server
}

// submitResults stores the client's tool results and returns the log position to follow from.
func (a *requestState) submitResults(ctx context.Context, results *rounds.Results) (*location, error) {
	approval, err := results.Approval(ctx, a.Record, a.identity.Workspace)
	if err != nil {
		return nil, err
	}
	return a.submitResultsTo(ctx, approval, results)
}

// submitResultsTo does so for a known approval.
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

// forClient reports whether the round waits for tools of the client.
func (a *openApproval) forClient() bool { return a != nil && a.Kind == domain.ApprovalClientCalls }

// calls returns the calls that the client is to run. Those of a chunk have an index.
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
