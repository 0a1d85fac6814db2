package prompt

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// ParseInput is what Parse needs besides the answer.
type ParseInput struct {
	Protocol    domain.Protocol
	SessionType domain.SessionType
	// Specs are the kinds of the offered commands, by name.
	Specs map[string]domain.CommandKind
	// Names maps wire names to command names where they differ.
	Names map[string]string
	// Client are the tools of the client that sent the message, by name. OneAtATime: the client
	// accepts one call per answer.
	Client     map[string]bool
	OneAtATime bool
	// MaxCalls bounds the calls of one answer; 0: unlimited.
	MaxCalls int
	NewID    domain.IDSource // for call IDs of the JSON protocol
}

// named returns the command name for a called name.
func (in *ParseInput) named(called string) string {
	if own, ok := in.Names[called]; ok {
		return own
	}
	return called
}

// Parse parses an answer, or returns a short description of the problem for the AI. Nothing of an
// answer with a problem may be executed. Params and modules are validated by the planner.
func Parse(raw *domain.RawAnswer, in ParseInput) (answer *domain.AIMessage, problem string) {
	if raw == nil {
		return nil, "The answer is empty. Answer with text, with calls, or with both."
	}
	if problem = unusable(raw, in); problem != "" {
		return nil, problem
	}
	switch {
	case raw.StopReason == domain.StopRefused && len(raw.Calls) == 0 && strings.TrimSpace(raw.Text) != "":
		// A refusal is prose in any protocol: it is the answer.
		return &domain.AIMessage{PreText: cleanText(raw.Text)}, ""
	case in.Protocol == domain.ProtocolJSON:
		answer, problem = parseJSON(raw, in)
	default:
		answer, problem = parseNative(raw, in)
	}
	if problem == "" {
		problem = checkWhole(answer, in)
	}
	if problem != "" {
		return nil, problem
	}
	if raw.Partial() {
		answer.StopReason = raw.StopReason
	}
	return answer, ""
}

// checkWhole checks the combination of an answer's parts.
func checkWhole(a *domain.AIMessage, in ParseInput) string {
	own := len(a.DataCommands) + len(a.ActionCommands)
	calls := own + len(a.ClientCalls)
	if in.MaxCalls > 0 && calls > in.MaxCalls {
		return fmt.Sprintf(
			"The answer has %d commands; at most %d are allowed in one answer. None was run. Send the first ones now and the others after their results.",
			calls,
			in.MaxCalls,
		)
	}
	switch {
	case len(a.ClientCalls) == 0:
	case own > 0 || a.Module != nil:
		return "The answer calls tools of the program that asked (" + a.ClientCalls[0].Name + ") and has something else beside them. " +
			"None was run. Call them alone, and send the rest after their results."
	case in.OneAtATime && calls > 1:
		return "The program that asked takes one call of its tools at a time. None was run. Send the first one now and the others after its result."
	}
	if in.SessionType == domain.Chat && a.Module != nil && calls > 0 {
		return "The answer asks the person a question and has commands beside it. Ask alone, and send the commands after the answer; or send the commands now and ask later."
	}
	return ""
}

// newCommand creates a command whose params are known to be an object. The flags are read but kept in
// params: the planner removes them.
func newCommand(name string, params json.RawMessage, callID string) domain.Command {
	var flags map[string]json.RawMessage
	_ = json.Unmarshal(params, &flags) // known to be an object
	return domain.Command{
		Type: name, Params: params, CallID: callID,
		Repeat: isTrue(flags["repeat"]), ValidationRequest: isTrue(flags["validation_request"]),
	}
}

func isTrue(value json.RawMessage) bool { return string(value) == "true" }

// addCommand adds a command to the list of its kind. Unknown names are added to the actions: the planner
// rejects them and lists the available names.
func addCommand(a *domain.AIMessage, c domain.Command, kind domain.CommandKind) {
	if kind == domain.KindQuery {
		a.DataCommands = append(a.DataCommands, c)
		return
	}
	a.ActionCommands = append(a.ActionCommands, c)
}
