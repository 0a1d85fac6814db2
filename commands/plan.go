package commands

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/commands/definitions"
	"github.com/fermata-dev/fermata/commands/modules"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Plan is the decision about an answer.
type Plan struct {
	Commands domain.PlannedCommands
	// Problem, if set, makes the whole answer a format error: nothing of it runs.
	// Refused then has a final execution for each of its calls.
	Problem  string
	Refused  []*domain.Execution
	Guidance string         // for the AI, beside the results
	Module   *domain.Module // the question to ask; nil: none
	// Completed: the run is over (once the actions beside it have all succeeded).
	Completed bool
}

// Codes of errors that belong to a whole answer.
const (
	codeFormat   = "format_error"
	codeUnknown  = "unknown_command"
	codeIgnored  = "ignored"
	codeEarlier  = "earlier_failed"
	codeTimeout  = "timeout"
	codeInternal = string(domain.CodeInternal)
)

// Plan resolves and validates the commands of an answer: it makes their executions, sets results that are
// known already (invalid parameters of a query, repetitions), and determines whether an approval is
// required. recent are executions of the same session, for the loop guard.
func (c *Catalogue) Plan(
	ctx context.Context,
	store data.Store,
	env Env,
	messageID string,
	raw *domain.RawAnswer,
	answer *domain.AIMessage,
	recent []*domain.Execution,
) (Plan, error) {
	p := &planner{catalogue: c, store: store, env: env, messageID: messageID, raw: raw, answer: answer, recent: recent}
	p.gather()
	p.checkAnswer()
	p.checkModule()
	if p.plan.Problem != "" {
		p.refuse()
		return p.plan, nil
	}
	p.settleControls()
	p.awaitDefinitions()
	p.forbid(ctx)
	if err := p.guard(ctx); err != nil {
		return Plan{}, err
	}
	planned := &p.plan.Commands
	planned.AIAsked = env.SessionType.CountsAIRequest() && (answer.ValidationRequest || p.asked)
	var err error
	planned.Reasons, planned.Cards, err = c.demands(ctx, store, env, planned.Actions, planned.AIAsked)
	if err != nil {
		return Plan{}, err
	}
	return p.plan, nil
}

// Replan plans actions again that have not run: their reasons, cards and digests are those of the current
// data. aiAsked: the AI itself requested an approval.
func (c *Catalogue) Replan(
	ctx context.Context, store data.Store, env Env, actions []*domain.Execution, aiAsked bool,
) (domain.PlannedCommands, error) {
	planned := domain.PlannedCommands{Actions: actions, AIAsked: aiAsked && env.SessionType.CountsAIRequest()}
	var err error
	planned.Reasons, planned.Cards, err = c.demands(ctx, store, env, actions, planned.AIAsked)
	return planned, err
}

type planner struct {
	catalogue *Catalogue
	store     data.Store
	env       Env
	messageID string
	raw       *domain.RawAnswer
	answer    *domain.AIMessage
	recent    []*domain.Execution
	plan      Plan
	controls  []*domain.Execution // native ASK_USER and COMPLETE calls
	asked     bool                // a command asks for validation
	byName    map[string]bool     // the commands that are offered by name only; nil: not known yet
	defines   []string            // of those, the called ones that are answered with their definitions
}

// gather makes an execution of every command and of every native control call.
func (p *planner) gather() {
	next := 0
	places := map[string]int{}
	if p.native() {
		for i, raw := range p.raw.Calls {
			places[raw.ID] = i
			if raw.Name == domain.AskUser || raw.Name == domain.Complete || raw.Name == domain.AskPrincipal {
				control := domain.Command{Type: raw.Name, Params: json.RawMessage(raw.Arguments), CallID: raw.ID}
				p.controls = append(p.controls, p.execution(control, i))
			}
		}
		next = len(p.raw.Calls)
	}
	for _, command := range slices.Concat(p.answer.DataCommands, p.answer.ActionCommands) {
		place, ok := places[command.CallID]
		if !ok {
			place = next
			next++
		}
		p.add(command, place)
	}
	byPosition := func(a, b *domain.Execution) int { return a.Position - b.Position }
	slices.SortStableFunc(p.plan.Commands.Queries, byPosition)
	slices.SortStableFunc(p.plan.Commands.Actions, byPosition)
}

func (p *planner) native() bool { return p.raw != nil && p.raw.Protocol == domain.ProtocolNative }

// add makes one execution, with an error where name or params are wrong.
func (p *planner) add(command domain.Command, place int) {
	e := p.execution(command, place)
	entry := p.catalogue.entry(&p.env, command.Type)
	planned := &p.plan.Commands
	switch {
	case entry == nil:
		p.wrong(e, codeUnknown, p.unknown(command.Type))
		planned.Actions = append(planned.Actions, e)
		return
	case entry.spec.Kind == domain.KindControl && entry.query == nil:
		p.wrong(e, codeFormat, controlHint(command.Type))
		planned.Actions = append(planned.Actions, e)
		return
	}
	action := entry.spec.Kind == domain.KindAction
	e.Kind, e.Effect, e.Foreign = entry.spec.Kind, entry.spec.Effect, entry.spec.Foreign()
	if !action {
		e.Kind = domain.KindQuery // control of running work is among them
	}
	taken := entry.flags()
	params, f, err := canonical(command.Params, taken...)
	if err == nil {
		e.Params, e.CommandID = params, commandID(command.Type, params)
		e.Repeat = f.repeat || command.Repeat && slices.Contains(taken, definitions.Repeat)
		p.asked = p.asked || f.validation || command.ValidationRequest && slices.Contains(taken, definitions.Validation)
		err = p.catalogue.schemas.Check(entry.own, params, "")
	}
	if p.lacksDefinition(entry, err) {
		p.define(e, entry, err)
		return
	}
	if err != nil {
		e.Error = commandError(err)
		if action {
			p.problem(fmt.Sprintf("%s: %s", e.Command, explain(e.Error)))
		}
	}
	if action {
		planned.Actions = append(planned.Actions, e)
		return
	}
	if e.Error != nil {
		p.end(e, domain.ExecFailed)
		e.Summary = domain.Same(e.Command)
	}
	planned.Queries = append(planned.Queries, e)
}

func controlHint(name string) string {
	if name == domain.AskUser {
		return `ASK_USER is not a command here: ask with "communication_module": {"type", "data"}.`
	}
	return `COMPLETE is not a command here: say it with "completed": true.`
}

func (p *planner) execution(command domain.Command, place int) *domain.Execution {
	params := storable(command.Params)
	return &domain.Execution{
		ID: p.env.NewID(domain.PrefixExecution), WorkspaceID: p.env.WorkspaceID, SessionID: p.env.SessionID, RoundID: p.env.RoundID,
		MessageID: p.messageID, CallID: command.CallID, Position: place,
		Command: shorten.Characters(strings.ToValidUTF8(strings.ReplaceAll(command.Type, "\x00", ""), "\uFFFD"), 100), Params: params,
		CommandID: commandID(command.Type, params), Kind: domain.KindControl, Effect: domain.EffectNonIdempotent,
		Status: domain.ExecPlanned, CreatedAt: p.env.Now,
	}
}

func (p *planner) wrong(e *domain.Execution, code, message string) {
	e.Error = &domain.CommandError{Code: code, Message: message}
	p.problem(message)
}

// problem keeps the problems, each once.
func (p *planner) problem(text string) {
	switch {
	case p.plan.Problem == "":
		p.plan.Problem = text
	case !strings.Contains(p.plan.Problem, text):
		p.plan.Problem += "\n" + text
	}
}

func (p *planner) end(e *domain.Execution, status domain.ExecutionStatus) {
	e.Status, e.EndedAt = status, new(p.env.Now)
}

// checkAnswer looks at the commands of an answer taken together.
func (p *planner) checkAnswer() {
	planned := &p.plan.Commands
	calls := len(planned.Queries) + len(planned.Actions)
	if p.native() {
		calls = max(calls, len(p.raw.Calls))
	}
	if most := p.env.Settings.MaxCallsPerResponse; most > 0 && calls > most {
		p.problem(fmt.Sprintf("The answer has %d calls; at most %d are allowed in one answer. "+
			"Send the first ones now and the others after their results.", calls, most))
	}
	if !p.native() && domain.AnyReads(planned.Queries) && len(planned.Actions) > 0 {
		p.problem("The answer has both queries and actions; only one of them is allowed. Read first, act after the results.")
	}
}

// checkModule decides about a question to the person.
func (p *planner) checkModule() {
	asks := 0
	for _, e := range p.controls {
		if e.Command == domain.AskUser {
			asks++
		}
	}
	module := p.answer.Module
	switch {
	case module == nil:
		return
	case p.env.SessionType != domain.Chat:
		p.guide("Nobody can answer a question in this session: the question was left out. Decide by what you know, and go on.")
		return
	case asks > 1:
		p.problem("The answer asks more than one question (ASK_USER). Ask one; a Form holds several fields.")
		return
	}
	err := modules.Check(module)
	switch {
	case domain.ErrorCode(err) == modules.CodeUnknown:
		p.guide(commandError(err).Message + " The question was left out.")
	case err != nil:
		p.problem("The communication module is not valid: " + explain(commandError(err)))
	case len(p.plan.Commands.Queries)+len(p.plan.Commands.Actions) > 0:
		p.problem("The answer asks the person a question and has commands beside it. Ask alone, and send the commands after the answer.")
	default:
		p.plan.Module = module
	}
}

func (p *planner) guide(text string) {
	p.plan.Guidance = strings.TrimSpace(p.plan.Guidance + "\n" + text)
}

// refuse gives every call its one result, since nothing of the answer runs.
func (p *planner) refuse() {
	all := slices.Concat(p.plan.Commands.Queries, p.plan.Commands.Actions, p.controls)
	slices.SortStableFunc(all, func(a, b *domain.Execution) int { return a.Position - b.Position })
	for _, e := range all {
		if e.Error != nil {
			p.end(e, domain.ExecFailed)
			continue
		}
		p.end(e, domain.ExecCancelled)
		e.Error = &domain.CommandError{Code: codeFormat, Message: "Nothing of this answer was run, because something in it was wrong."}
	}
	p.plan = Plan{Problem: p.plan.Problem, Refused: all}
}

// settleControls decides what COMPLETE means, and adds a result to the control calls that get none
// otherwise (a question's is the person's answer).
func (p *planner) settleControls() {
	planned := &p.plan.Commands
	why := ""
	switch {
	case !p.answer.Completed:
	case p.env.SessionType == domain.Chat:
		why = "Ignored: a chat is not ended by COMPLETE."
	case len(planned.Queries) > 0:
		why = "Ignored: finish first. Read the results, and say it again when all is done."
	default:
		p.plan.Completed = true
	}
	if why != "" && !p.native() && p.env.SessionType != domain.Chat {
		p.guide("completed: " + why)
	}
	for _, e := range p.controls {
		switch {
		case e.Command == domain.AskUser && p.plan.Module != nil:
			continue
		case e.Command == domain.AskUser:
			p.end(e, domain.ExecCancelled)
			e.Error = &domain.CommandError{Code: codeIgnored, Message: "The question was left out."}
		case why != "":
			p.end(e, domain.ExecCancelled)
			e.Error = &domain.CommandError{Code: codeIgnored, Message: why}
		case len(planned.Actions) > 0:
			p.end(e, domain.ExecSuccess)
			e.Text = "Noted: it holds if all the actions beside it succeed."
		default:
			continue
		}
		planned.Refused = append(planned.Refused, e)
	}
}

func (c *Catalogue) call(store data.Store, env Env, e *domain.Execution) *call {
	return &call{catalogue: c, store: store, env: env, name: e.Command, params: e.Params, execution: e}
}

// commandError is an error as the AI reads it.
func commandError(err error) *domain.CommandError {
	if e, ok := errors.AsType[*domain.Error](err); ok {
		return &domain.CommandError{Code: string(e.Code), Message: e.Message, Fields: e.Fields}
	}
	return &domain.CommandError{Code: codeInternal, Message: "It failed for an internal reason. Try again, or go on without it."}
}

// explain formats an error with all its fields.
func explain(e *domain.CommandError) string {
	if len(e.Fields) < 2 {
		return e.Message
	}
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = strings.TrimSpace(f.Pointer + " " + f.Message)
	}
	return strings.Join(parts, " ")
}
