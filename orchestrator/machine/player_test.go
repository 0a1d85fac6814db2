package machine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// part is one piece of an answer in a script: "query ZONES", "action CREATE_ZONE".
type part struct{ kind, name string }

// script answers as the AI, the runner and the person would.

func (w *world) message(text string, commands ...domain.Command) *domain.Message {
	return &domain.Message{ID: w.id("msg"), SenderID: "ada", Rich: &domain.RichContent{LinearText: text, Commands: commands}}
}

// answer makes the raw answer, its parsed form and its planned commands.
func (w *world) answer(text string, parts []part) (domain.AIResponseReceived, domain.AIResponseParsed) {
	raw := &domain.RawAnswer{Protocol: domain.ProtocolNative, Text: text}
	ai := &domain.AIMessage{PreText: text}
	var plan domain.PlannedCommands
	for _, p := range parts {
		if p.kind == "json" {
			raw.Protocol = domain.ProtocolJSON
		}
	}
	call := func(name string) string {
		id := w.id("call")
		if raw.Protocol == domain.ProtocolNative {
			raw.Calls = append(raw.Calls, domain.RawCall{ID: id, Name: name, Arguments: "{}"})
		}
		return id
	}
	for _, p := range parts {
		w.addPart(p, call, ai, &plan)
	}
	if len(plan.Reasons) > 0 {
		for _, x := range plan.Actions {
			if !x.Status.Final() {
				plan.Cards = append(plan.Cards, domain.ApprovalAction{ID: x.ID, Command: x.Command, Text: "Do " + x.Command})
			}
		}
	}
	id := w.id("msg")
	tokens := domain.Usage{InputTokens: 100, OutputTokens: 20}
	received := domain.AIResponseReceived{MessageID: id, Raw: raw, Hash: text + fmt.Sprint(parts),
		Roundtrip: &domain.Roundtrip{Usage: tokens, Outcome: "answered", StartedAt: w.now, EndedAt: w.now}}
	return received, domain.AIResponseParsed{MessageID: id, Raw: raw, Answer: ai, Commands: plan}
}

func (w *world) addPart(p part, call func(string) string, ai *domain.AIMessage, plan *domain.PlannedCommands) {
	execution := func(kind domain.CommandKind, status domain.ExecutionStatus) *domain.Execution {
		x := &domain.Execution{ID: w.id("exe"), CallID: call(p.name), Command: p.name, Kind: kind, Status: status}
		if status == domain.ExecFailed {
			x.Error = &domain.CommandError{Code: "invalid_params", Message: "the params are wrong"}
		}
		return x
	}
	foreign := func(acts, trusted bool) *domain.Foreign {
		return &domain.Foreign{From: *domain.From(domain.OriginHTTP, p.name+" (Bank)"), Acts: acts, Trusted: trusted}
	}
	switch p.kind {
	case "fetch":
		x := execution(domain.KindQuery, domain.ExecPlanned)
		x.Foreign = foreign(false, false)
		plan.Queries = append(plan.Queries, x)
	case "outside", "trusted":
		x := execution(domain.KindAction, domain.ExecPlanned)
		x.Foreign = foreign(true, p.kind == "trusted")
		plan.Actions = append(plan.Actions, x)
	case "query":
		plan.Queries = append(plan.Queries, execution(domain.KindQuery, domain.ExecPlanned))
	case "badquery":
		plan.Queries = append(plan.Queries, execution(domain.KindQuery, domain.ExecFailed))
	case "action":
		plan.Actions = append(plan.Actions, execution(domain.KindAction, domain.ExecPlanned))
	case "badaction":
		plan.Actions = append(plan.Actions, execution(domain.KindAction, domain.ExecFailed))
	case "cached":
		plan.Actions = append(plan.Actions, execution(domain.KindAction, domain.ExecCached))
	case "refused":
		plan.Refused = append(plan.Refused, execution(domain.KindQuery, domain.ExecCancelled))
	case "unheard":
		plan.Refused = append(plan.Refused, execution(domain.KindControl, domain.ExecCancelled))
	case "validate":
		plan.Reasons = append(plan.Reasons, domain.ApprovalReason{Level: domain.LevelZone, ID: "zon_1", Text: "the zone asks for it"})
	case "wish":
		plan.Reasons = append(plan.Reasons, domain.ApprovalReason{Level: domain.LevelAI, Text: "the AI asks for it"})
	case "ask":
		call("ASK_USER")
		ai.Module = &domain.Module{Type: "Text", Data: []byte(`{"question":"Which?"}`)}
	case "client":
		ai.ClientCalls = append(ai.ClientCalls, domain.ClientCall{ID: call(p.name), Name: p.name, Params: []byte(`{"of":"Paris"}`)})
	case "complete":
		call("COMPLETE")
		ai.Completed = true
	case "post":
		ai.PostText = strings.ReplaceAll(p.name, "_", " ")
	case "keep":
		ai.KeepControl = true
	case "json":
	default:
		w.t.Fatalf("unknown part %q of an answer", p.kind)
	}
}

// ran reports what is planned as done; from the failing one on (1 = first) as failed
// and cancelled. 0: none fails.
func (w *world) ran(failing int, status domain.ExecutionStatus) (domain.Event, bool) {
	kind := domain.KindAction
	if w.s.Phase == domain.ExecutingDataQueries {
		kind = domain.KindQuery
	}
	var ended []*domain.Execution
	n, failed := 0, false
	for _, id := range w.order {
		x := *w.executions[id]
		if x.MessageID != w.s.State.AnswerID || x.Kind != kind || x.Status.Final() {
			continue
		}
		n++
		now := w.now
		switch {
		case failed && kind == domain.KindAction:
			x.Status, x.Note = domain.ExecCancelled, "An earlier action failed."
		case n == failing:
			failed = true
			x.Status, x.StartedAt, x.EndedAt = status, &now, &now
			x.Error = &domain.CommandError{Code: "not_found", Message: "no such thing"}
		default:
			x.Status, x.StartedAt, x.EndedAt, x.Text = domain.ExecSuccess, &now, &now, "ok"
		}
		ended = append(ended, &x)
	}
	switch {
	case w.s.Phase == domain.ExecutingDataQueries:
		return domain.DataQueriesExecuted{Executions: ended, Actions: w.replan()}, true
	case failed:
		return domain.ActionFailureOccurred{Executions: ended}, true
	default:
		var changes []domain.DataChange
		if len(ended) > 0 {
			changes = []domain.DataChange{{}}
		}
		return domain.ActionsExecuted{Executions: ended, Changes: changes}, true
	}
}

// begun reports that the n-th action that has no result begins outside (0: none, the series
// stands still), and that those before it are done.
func (w *world) begun(n int) domain.Event {
	e := domain.ActionStarted{}
	for i, id := range w.planned() {
		x, now := *w.executions[id], w.now
		switch {
		case i+1 == n:
			x.Status, x.StartedAt, x.Attempt = domain.ExecStarted, &now, x.Attempt+1
		case i+1 < n:
			x.Status, x.StartedAt, x.EndedAt, x.Text = domain.ExecSuccess, &now, &now, "ok"
			e.Changes = append(e.Changes, domain.DataChange{})
		default:
			x.Digest = "again"
		}
		e.Executions = append(e.Executions, &x)
	}
	return e
}

// lateResult brings what became of the latest action that is running or unknown.
func (w *world) lateResult(options []string) domain.Event {
	e := domain.ExternalResultReceived{Quiet: slices.Contains(options, "quiet")}
	for _, id := range w.order {
		if x := *w.executions[id]; x.Status == domain.ExecStarted || x.Status == domain.ExecUnknown {
			now := w.now
			x.Status, x.EndedAt, x.Text = domain.ExecSuccess, &now, "it was done"
			if slices.Contains(options, "again") {
				x.Status, x.Note = domain.ExecUnknown, "once more"
				own := x
				own.ID, own.CallID, own.Status, own.Kind = w.id("exe"), "", domain.ExecPlanned, domain.KindAction
				own.StartedAt, own.EndedAt, own.Note, own.Error = nil, nil, "", nil
				e.Again = &domain.PlannedCommands{
					Actions: []*domain.Execution{&own},
					Cards:   []domain.ApprovalAction{{ID: own.ID, Command: own.Command}},
					Reasons: []domain.ApprovalReason{{Level: domain.LevelCommand, Text: "it was sent before", Always: true}},
				}
			}
			e.Execution, e.Result = &x, domain.ResultOf(&x, "en")
			if e.Again != nil {
				break
			}
		}
	}
	return e
}

// replan brings the actions of a native answer after its queries.
func (w *world) replan() domain.PlannedCommands {
	var plan domain.PlannedCommands
	if !w.s.State.PendingActions {
		return plan
	}
	if w.replans {
		for _, id := range w.order {
			x := *w.executions[id]
			if x.Kind != domain.KindAction || x.MessageID != w.s.State.AnswerID {
				continue
			}
			plan.Actions = append(plan.Actions, &x)
			if x.Status.Final() {
				continue
			}
			plan.Cards = append(plan.Cards, domain.ApprovalAction{ID: x.ID, Command: x.Command})
			if strings.HasPrefix(x.Command, "DELETE") {
				plan.Reasons = []domain.ApprovalReason{{Level: domain.LevelCommand, Text: "a deletion"}}
			}
		}
		return plan
	}
	for _, call := range w.s.State.Pending.Actions {
		x := &domain.Execution{ID: w.id("exe"), CallID: call.CallID, Command: call.Command, Kind: domain.KindAction, Status: domain.ExecPlanned}
		for _, id := range w.order {
			if old := w.executions[id]; old.CallID == call.CallID && old.MessageID == w.s.State.AnswerID {
				x.Foreign = old.Foreign
			}
		}
		plan.Actions = append(plan.Actions, x)
		plan.Cards = append(plan.Cards, domain.ApprovalAction{ID: x.ID, Command: x.Command})
		if strings.HasPrefix(call.Command, "DELETE") {
			plan.Reasons = []domain.ApprovalReason{{Level: domain.LevelCommand, Text: "a deletion"}}
		}
	}
	return plan
}

// clientResults are what the program brings for the calls that wait for it.
func (w *world) clientResults(text string) (results []domain.ClientResult) {
	wait := w.s.State.Waiting
	if wait == nil || wait.Kind != domain.WaitClient {
		return nil
	}
	for _, call := range w.approvals[wait.ApprovalID].Actions {
		results = append(results, domain.ClientResult{CallID: call.ID, Text: text})
	}
	return results
}

// stale brings the cards of the actions under way again.
func (w *world) stale() domain.ApprovalStale {
	plan := domain.PlannedCommands{Reasons: []domain.ApprovalReason{{Level: domain.LevelZone, Text: "the zone asks for it"}}}
	for _, id := range w.order {
		x := *w.executions[id]
		if x.MessageID == w.s.State.AnswerID && x.Kind == domain.KindAction && !x.Status.Final() {
			x.Digest = "new"
			plan.Actions = append(plan.Actions, &x)
			plan.Cards = append(plan.Cards, domain.ApprovalAction{ID: x.ID, Command: x.Command, Text: "now different"})
		}
	}
	return domain.ApprovalStale{Commands: plan}
}

// planned are the ids of the actions that a person is asked about.
func (w *world) planned() []string {
	var ids []string
	for _, id := range w.order {
		x := w.executions[id]
		if x.Kind == domain.KindAction && x.MessageID == w.s.State.AnswerID && !x.Status.Final() {
			ids = append(ids, id)
		}
	}
	return slices.Clone(ids)
}

// wants reports that the next call requires a person to sign in or to answer; with @open the call stays in progress
// at its server meanwhile.
func (w *world) wants(what string, options []string) domain.Event {
	e := domain.OutsideAsked{Ask: domain.OutsideAsk{Connector: "con_1", Name: "Bank", Open: slices.Contains(options, "open")}}
	if what == "answer" {
		e.Ask.Question = &domain.Module{Type: "Validation", Data: []byte(`{"message":"Sure?"}`)}
	}
	for _, id := range w.order {
		x := *w.executions[id]
		if x.MessageID != w.s.State.AnswerID || x.Kind == domain.KindAction && w.s.Phase == domain.ExecutingDataQueries {
			continue
		}
		if !x.Status.Final() && e.Ask.ExecutionID == "" {
			e.Ask.ExecutionID = x.ID
		}
		if x.Kind == domain.KindAction {
			e.Executions = append(e.Executions, &x)
		}
	}
	return e
}
