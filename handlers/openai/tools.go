package openai

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/rounds"
)

// Tools of a client are offered to the AI of a session in addition to the commands. Its calls are
// returned to the client, which submits their results with the next request.

// Offers reports whether a request offers its tools to the model.
func Offers(tools, choice json.RawMessage) (bool, error) {
	switch {
	case !IsGiven(tools), string(choice) == `"none"`:
		return false, nil
	case IsGiven(choice) && string(choice) != `"auto"`:
		return false, domain.Invalid("/tool_choice", "not_supported", `tool_choice takes "auto" or "none".`)
	}
	return true, nil
}

// CheckTools rejects tools of a request that cannot be offered, and results that are sent together
// with the next message. pointer returns the JSON pointer of a tool.
func CheckTools(ctx context.Context, x *rounds.Round, pointer func(int) string, all []InputMessage) error {
	if x.Tools != nil && len(x.Tools.List) > 0 {
		if err := rounds.CheckTools(ctx, x.Catalogue, x.Caller.Workspace, x.Tools.List, pointer); err != nil {
			return err
		}
	}
	return checkLateResults(ctx, x, all)
}

// checkLateResults rejects results that are sent together with the next message: the round that
// waits for them would be ended by the message.
func checkLateResults(ctx context.Context, x *rounds.Round, all []InputMessage) error {
	own := withoutInstructions(all)
	if len(own) == 0 {
		return nil
	}
	late := TrailingResults(own[:len(own)-1])
	if late == nil {
		return nil
	}
	approval, err := late.Approval(ctx, x.Approvals, x.Caller.Workspace)
	if err == nil && approval.Status == domain.ApprovalStatusOpen {
		return domain.Invalid(late.Pointers[0], "not_allowed",
			"A round still waits for these results. Send them first, as the last messages of a request, and the next message after their answer.")
	}
	return nil // history: of a round that is over, or of another server
}

// TrailingResults returns the tool results that a request ends with; nil if it ends with something
// else.
func TrailingResults(all []InputMessage) *rounds.Results {
	r := &rounds.Results{}
	for _, m := range withoutInstructions(all) {
		if m.Role != RoleTool {
			r = &rounds.Results{}
			continue
		}
		r.Add(m.Call, m.Text, m.At+m.CallAt)
	}
	if len(r.IDs) == 0 {
		return nil
	}
	return r
}

func withoutInstructions(all []InputMessage) []InputMessage {
	var own []InputMessage
	for _, m := range all {
		if m.Role != RoleSystem && m.Role != RoleDeveloper {
			own = append(own, m)
		}
	}
	return own
}
