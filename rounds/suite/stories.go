package suite

import (
	"encoding/json"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// story is a round from the user message to its end.
type story struct {
	name  string
	steps []step
}

const (
	executionID = "exe_00000000000000000000000000000004"
	approvalID  = "apr_00000000000000000000000000000005"
)

// stories are the rounds that every adapter shows to its clients.
var stories = []story{
	{"an answer", []step{thinking("Hm, "), thinking("a greeting."), text("Hello"), text(" to"), text(" you."), usage(12, 5),
		thoughtful("Hm, a greeting.", "Hello to you."), idle()}},
	{"an answer after a pause", []step{text("One"), pause(16 * time.Second), text(" moment."), answer("One moment."), idle()}},
	{"an answer that was not streamed", []step{thoughtful("Short.", "Hello."), usage(12, 5), idle()}},
	{"an answer with a gap", []step{text("Café "), text("au lait"), answer("Café au lait, please."), idle()}},
	{"an answer in JSON", []step{text(`{"pre_text":`), text(`"Hello."}`), answer("Hello."), idle()}},
	{"commands", []step{text("I make it."), usage(10, 4), answer("I make it."), planned(),
		phase(domain.ExecutingActions, domain.AIResponseParsed{}.Name()),
		created(), system(executed()), call(),
		text("It is"), text(" made."), usage(20, 6), answer("It is made."), idle()}},
	{"a command that fails", []step{answer(""), planned(),
		command(executionID, "CREATE_ZONE", domain.ExecFailed, "There is such a zone."), system(executed()), call(),
		answer("It exists."), idle()}},
	{"an approval", []step{text("May I?"), answer("May I?"), planned(),
		requested(domain.WaitingValidation, actions())}},
	{"an approval of two actions", []step{answer("May I?"), requested(domain.WaitingValidation, twoActions())}},
	{"an approved action", []step{answer("May I?"), planned(),
		requested(domain.WaitingValidation, actions()), settled(domain.ApprovalStatusApproved, `{"approved":true}`),
		phase(domain.ExecutingActions, domain.ValidationReceived{}.Name()),
		created(), system(executed()), call(), answer("Made."), idle()}},
	{"a refused action", []step{answer("May I?"), planned(),
		requested(domain.WaitingValidation, actions()), settled(domain.ApprovalStatusRefused, `{"approved":false}`),
		command(executionID, "CREATE_ZONE", domain.ExecCancelled, ""), idle()}},
	{"a question", []step{text("Which?"), answer("Which?"), requested(domain.WaitingCommunicationResponse, question())}},
	{"an answered question", []step{answer("Which?"), requested(domain.WaitingCommunicationResponse, question()),
		settled(domain.ApprovalStatusApproved, `{"approved":true,"value":"red"}`), call(), text("Red"), answer("Red it is."), idle()}},
	{"a budget", []step{answer("Much."), requested(domain.WaitingBudget,
		domain.Approval{ID: approvalID, Kind: domain.ApprovalBudget, Text: "Spend more?"},
	)}},
	{"calls of the client's tools", []step{text("Look."), answer("Look."), requested(domain.WaitingCommunicationResponse, clientCalls())}},
	{"results of the client's tools", []step{answer("Look."), requested(domain.WaitingCommunicationResponse, clientCalls()),
		settled(domain.ApprovalStatusApproved, `{"approved":true}`), stored(results()), call(), answer("Sunny."), idle()}},
	{"calls that are no longer waited for", []step{answer("Look."), requested(domain.WaitingCommunicationResponse, clientCalls()),
		settled(domain.ApprovalStatusInterrupted, ""), idle()}},
	{"a failure", []step{text("I was"), discarded(), system(failed()), phase(domain.Idle, domain.SystemErrorOccurred{}.Name())}},
	{"a failure of the network", []step{system(failed()), phase(domain.Idle, domain.NetworkGivenUp{}.Name())}},
	{"an interruption", []step{text("I was in the"), stored(domain.Message{
		Sender: domain.SenderAI, Status: domain.MessageInterrupted, Text: "I was in", Raw: &domain.RawAnswer{Text: "I was in"},
	}), phase(domain.Idle, domain.InterruptRequested{}.Name())}},
	{"an interruption before an answer", []step{phase(domain.Idle, domain.InterruptRequested{}.Name())}},
	{"a repeated call", []step{text("The answer"), discarded(), call(), text("The answer is"), text(" 42."),
		answer("The answer is 42."), idle()}},
	{"another answer", []step{text("One thing"), lost(), call(), text("Another"), text(" thing."), answer("Another thing."), idle()}},
	{"a shorter answer", []step{text("Something long and"), lost(), call(), text("Something"), answer("Something"), idle()}},
	{"an invalid format", []step{text(`{"pre`), answer(domain.InvalidFormatText),
		phase(domain.RetryingAfterFormatError, domain.ParseErrorOccurred{}.Name()),
		call(), text("Sorry."), answer("Sorry."), idle()}},
	{"a limit", []step{answer("So far."), system(&domain.SystemMessage{
		Type: domain.SystemLimitReached, Summary: "The limit of steps is reached.",
	}), idle()}},
	{"a limit of tokens", []step{text("So"), stored(domain.Message{
		Sender: domain.SenderAI, AI: &domain.AIMessage{PreText: "So f", StopReason: domain.StopLength},
		Raw: &domain.RawAnswer{Text: "So f", StopReason: domain.StopLength},
	}), idle()}},
	{"a queued message", []step{queued(), pause(time.Second), placed(), text("Now."), answer("Now."), idle()}},
	{"a withdrawn message", []step{queued(), withdrawn()}},
	{"the next message", []step{text("First"), answer("First."), idle(), next()}},
	{"the end of the session", []step{answer("Goodbye."), phase(domain.Completed, domain.SessionCompleted{}.Name())}},
}

func planned() step { return command(executionID, "CREATE_ZONE", domain.ExecPlanned, "") }
func created() step { return command(executionID, "CREATE_ZONE", domain.ExecSuccess, `{"id":"zon_1"}`) }

func executed() *domain.SystemMessage {
	return &domain.SystemMessage{Type: domain.SystemActionsExecuted, Summary: "1 action", CommandResults: []domain.CommandResult{{
		ExecutionID: executionID, Command: "CREATE_ZONE", Status: domain.ExecSuccess, Summary: "Zone Garden", Text: "Created zon_1.",
	}}}
}

func failed() *domain.SystemMessage {
	return &domain.SystemMessage{Type: domain.SystemNetworkError, Summary: "The provider is unavailable.", Detail: "503"}
}

func action(id, name string) domain.ApprovalAction {
	return domain.ApprovalAction{
		ID: id, Command: "CREATE_ZONE", Params: json.RawMessage(`{"name":"` + name + `"}`), Text: "Create the zone " + name, Digest: "d",
	}
}

func actions() domain.Approval {
	return domain.Approval{ID: approvalID, Kind: domain.ApprovalActions, Actions: []domain.ApprovalAction{action(executionID, "Garden")}}
}

func twoActions() domain.Approval {
	a := actions()
	a.Actions = append(a.Actions, action("exe_00000000000000000000000000000006", "House"))
	return a
}

func question() domain.Approval {
	return domain.Approval{
		ID: approvalID, Kind: domain.ApprovalQuestion, ResponseSchema: json.RawMessage(`{"type":"string","enum":["red","blue"]}`),
		Module: &domain.Module{Type: "MultipleChoice", Data: json.RawMessage(`{"question":"Which colour?","options":["red","blue"]}`)},
	}
}

func clientCalls() domain.Approval {
	return domain.Approval{ID: approvalID, Kind: domain.ApprovalClientCalls, Actions: []domain.ApprovalAction{
		{ID: "c1", Command: "weather", Params: json.RawMessage(`{"city":"Graz"}`)}, {ID: "c2", Command: "time", Params: json.RawMessage(`{}`)},
	}}
}

func results() domain.Message {
	from := &domain.Provenance{Origin: domain.OriginClient}
	return domain.Message{ID: domain.ClientResultsID(approvalID), Sender: domain.SenderSystem, System: &domain.SystemMessage{
		Type: domain.SystemDataAdded, CommandResults: []domain.CommandResult{
			{CallID: "c1", Command: "weather", Status: domain.ExecSuccess, Text: "sunny", From: from},
			{CallID: "c2", Command: "time", Status: domain.ExecSuccess, Text: "noon", From: from},
		},
	}}
}
