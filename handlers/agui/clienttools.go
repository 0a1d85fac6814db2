package agui

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// Tools of the front end are offered to the AI in the round of the message that they are sent with.
// A run ends with calls of them, and the next run submits their results as messages.

const roleTool = "tool"

// clientTools returns the tools of a run; nil if there are none.
func (in *input) clientTools() *domain.ClientTools {
	if len(in.Tools) == 0 {
		return nil
	}
	out := &domain.ClientTools{}
	for _, t := range in.Tools {
		params := t.Parameters
		if len(params) == 0 || string(params) == "null" {
			params = rounds.NoParams
		}
		out.List = append(out.List, domain.ClientTool{Name: t.Name, Description: t.Description, Params: params})
	}
	return out
}

// checkTools rejects tools that cannot be offered.
func (x *run) checkTools(ctx context.Context) error {
	tools := x.in.clientTools()
	if tools == nil {
		return nil
	}
	at := func(i int) string { return fmt.Sprintf("/tools/%d", i) }
	return rounds.CheckTools(ctx, x.Catalogue, x.Caller.Workspace, tools.List, at)
}

// addResult adds a tool result that follows the newest user message. Results of the session's own
// commands are ignored: the client received them from the server.
func (in *input) addResult(m *clientMessage, place int) error {
	if strings.HasPrefix(m.CallID, domain.PrefixExecution+"_") || in.last < 0 {
		return nil
	}
	at := fmt.Sprintf("/messages/%d", place)
	pieces, err := piecesOf(m.Content, at+"/content")
	if err != nil {
		return err
	}
	if len(rounds.Attachments(pieces)) > 0 {
		return domain.Invalid(at+"/content", "not_supported", "The result of a tool must be text. Nothing was changed.")
	}
	text := rounds.TextOf(pieces)
	if m.Error != "" {
		text = strings.TrimSpace("Error: " + m.Error + "\n" + text)
	}
	if in.results == nil {
		in.results = &rounds.Results{}
	}
	in.results.Add(m.CallID, text, at+"/toolCallId")
	in.resultsEnd = place
	return nil
}

// resultsApproval returns the approval that waits, or has waited, for the results of the front end's
// tools.
func (x *run) resultsApproval(ctx context.Context) (*domain.Approval, error) {
	results, err := x.in.results.Latest(ctx, x.Approvals, x.Caller.Workspace)
	if err != nil {
		return nil, err
	}
	approval, err := results.Approval(ctx, x.Approvals, x.Caller.Workspace)
	if err != nil {
		return nil, err
	}
	if approval.SessionID != x.Found.Session {
		return nil, domain.Invalid(results.Pointers[0], "unknown_call", "%.80q is a call of another thread. Nothing was changed.", results.IDs[0])
	}
	x.in.results = results
	return approval, nil
}

// clientCalls writes the calls that the front end is to run, for which an approval waits.
func (f *follower) clientCalls(a *api.Approval) {
	f.endText()
	f.pending = nil
	for i, action := range a.Actions {
		id := domain.ClientCallID(a.ID, i)
		call := fields{"toolCallId": id, "toolCallName": action.Command}
		if f.answerID != "" {
			call["parentMessageId"] = f.answerID
		}
		f.event("TOOL_CALL_START", call)
		f.event("TOOL_CALL_ARGS", fields{"toolCallId": id, "delta": rounds.Arguments(action.Params)})
		f.event("TOOL_CALL_END", fields{"toolCallId": id})
		f.pending = append(f.pending, id)
	}
}

// results writes the results that a front end submitted before, for one that does not have them.
func (f *follower) results(m *api.Message) {
	if _, ok := domain.ClientResultsOf(m.ID); !ok || m.SystemMessage == nil {
		return
	}
	results := m.SystemMessage.CommandResults
	for i, id := range f.pending {
		if i < len(results) {
			f.result(id, results[i].Text)
		}
	}
	f.pending = nil
}

// cancelledCalls writes a result for calls that are no longer waited for, so that a front end does
// not run them.
func (f *follower) cancelledCalls(a *api.Approval) {
	if a.Status == domain.ApprovalStatusApproved {
		return // the message with the results is written later
	}
	for _, id := range f.pending {
		f.result(id, "The session no longer waits for this: "+string(a.Status)+".")
	}
	f.pending = nil
}

func (f *follower) result(id, text string) {
	f.event("TOOL_CALL_RESULT", fields{"messageId": id + "-result", "toolCallId": id, "content": text, "role": roleTool})
}

// onlyClientCalls reports whether the session waits for the front end's tools only, and not for a
// person.
func onlyClientCalls(open []*domain.Approval) bool {
	for _, a := range open {
		if a.Kind != domain.ApprovalClientCalls {
			return false
		}
	}
	return len(open) > 0
}
