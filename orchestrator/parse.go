package orchestrator

import (
	"context"
	"fmt"
	"slices"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/commands/modules"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
)

// parse reads the raw answer and plans its commands. Nothing of an answer that cannot
// be read whole is ever run.
func (d *driver) parse(ctx context.Context) (event domain.Event, err error) {
	if d.raw == nil && d.session.State.AnswerHeld {
		held, err := d.loop.cfg.Store.HeldAnswer(ctx, d.session.WorkspaceID, d.session.ID)
		if err != nil {
			return nil, err
		}
		d.raw, d.answerID = held.Answer, held.MessageID
	}
	raw, messageID := d.raw, d.answerID
	if raw == nil {
		return nil, fmt.Errorf("parse: there is no answer in hand")
	}
	defer func() {
		if err == nil { // else the answer stays in hand: it is parsed again when the database is back
			d.raw = nil
		}
	}()
	in, err := d.parseInput(ctx, raw.Protocol)
	if err != nil {
		return nil, err
	}
	answer, problem := prompt.Parse(raw, in)
	if problem != "" {
		return domain.ParseErrorOccurred{
			MessageID: messageID,
			Raw:       raw,
			Problem:   problem,
			Refused:   d.refuseAll(raw, messageID, problem),
		}, nil
	}
	if misfit, err := (formatting{d}).check(ctx, raw, messageID, answer); misfit != nil || err != nil {
		return misfit, err
	}
	plan, err := d.planAnswer(ctx, messageID, raw, answer)
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	if err != nil {
		return nil, fmt.Errorf("plan the answer's commands: %w", err)
	}
	identify(answer, plan.Commands)
	stamp(d.session, plan.Commands.Queries, plan.Commands.Actions, plan.Commands.Refused, plan.Refused)
	if plan.Problem != "" {
		return domain.ParseErrorOccurred{MessageID: messageID, Raw: raw, Problem: plan.Problem, Refused: plan.Refused}, nil
	}
	answer.Module, answer.Completed = plan.Module, plan.Completed
	parsed := domain.AIResponseParsed{
		MessageID: messageID, Raw: raw, Answer: answer, Commands: plan.Commands, Guidance: plan.Guidance,
	}
	if s := d.session; s.Type == domain.Agent {
		parsed.End = prompt.EndOf(raw, answer, s.State.CommandsRun > 0 || len(plan.Commands.Actions) > 0)
	}
	if plan.Module != nil {
		parsed.ResponseSchema = modules.ResponseSchema(plan.Module)
	}
	return parsed, nil
}

// parseInput is what is known of the commands that an answer may hold.
func (d *driver) parseInput(ctx context.Context, protocol domain.Protocol) (prompt.ParseInput, error) {
	in := prompt.ParseInput{
		Protocol: protocol, SessionType: d.session.Type, Specs: map[string]domain.CommandKind{}, Names: map[string]string{},
		MaxCalls: d.view.Workspace.Settings.MaxCallsPerResponse, NewID: d.loop.cfg.NewID,
	}
	offer := d.loop.offer(ctx, d.present())
	specs := offer.All()
	for _, spec := range specs {
		in.Specs[spec.Name] = spec.Kind
		if wire := spec.WireName(); wire != spec.Name {
			in.Names[wire] = spec.Name
		}
	}
	tools, err := d.clientTools(ctx)
	if tools != nil {
		in.Client, in.OneAtATime = map[string]bool{}, tools.OneAtATime
		for _, spec := range tools.Specs(specs) {
			in.Client[spec.Name] = true
		}
	}
	return in, err
}

// planAnswer plans the commands of an answer by what is known now.
func (d *driver) planAnswer(ctx context.Context, messageID string, raw *domain.RawAnswer, answer *domain.AIMessage) (commands.Plan, error) {
	s := d.session
	var recent []*domain.Execution
	var err error
	if len(answer.DataCommands)+len(answer.ActionCommands) > 0 {
		since := d.loop.cfg.Clock().Add(-domain.RepeatWindow)
		if recent, err = d.loop.cfg.Store.RecentExecutions(ctx, s.WorkspaceID, s.ID, since); err != nil {
			return commands.Plan{}, err
		}
		if err = d.renewGrants(ctx, messageID); err != nil {
			return commands.Plan{}, err
		}
	}
	outside, err := d.loop.callable(ctx, d.view, typesOf(answer.ActionCommands))
	if err != nil {
		return commands.Plan{}, err
	}
	env := d.loop.env(d.view, outside)
	return d.loop.cfg.Commands.Plan(ctx, d.loop.cfg.Data(s.WorkspaceID), env, messageID, raw, answer, recent)
}

func typesOf(list []domain.Command) []string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Type
	}
	return names
}

// renewGrants reads the grants of a run as they are now: a person may have given or
// withdrawn some since the view was read.
func (d *driver) renewGrants(ctx context.Context, answer string) error {
	if d.session.Type != domain.Run {
		return nil
	}
	fresh, err := d.loop.cfg.Store.View(ctx, d.session.WorkspaceID, d.session.ID)
	if err != nil {
		return fmt.Errorf("read the grants: %w", err)
	}
	view := *d.view
	view.Grants = fresh.GrantsFor(answer)
	d.view = &view
	return nil
}

// identify sets the ids of an answer's commands to those of their executions: the hash that identifies
// equal requests.
func identify(answer *domain.AIMessage, plan domain.PlannedCommands) {
	ids := map[string]string{}
	for _, e := range append(slices.Clone(plan.Queries), plan.Actions...) {
		ids[e.CallID] = e.CommandID
	}
	for _, list := range [][]domain.Command{answer.DataCommands, answer.ActionCommands} {
		for i := range list {
			list[i].ID = ids[list[i].CallID]
		}
	}
}

// stamp names the round and the session in executions that were just planned.
func stamp(s *domain.Session, lists ...[]*domain.Execution) {
	for _, list := range lists {
		for _, e := range list {
			e.WorkspaceID, e.SessionID, e.RoundID = s.WorkspaceID, s.ID, s.State.RoundID
		}
	}
}

// refuseAll adds the one result of each native call of an unreadable answer.
func (d *driver) refuseAll(raw *domain.RawAnswer, messageID, problem string) []*domain.Execution {
	now := d.loop.cfg.Clock()
	var refused []*domain.Execution
	for i, call := range raw.Calls {
		refused = append(refused, &domain.Execution{
			ID: d.loop.cfg.NewID(domain.PrefixExecution), MessageID: messageID, CallID: call.ID, Position: i,
			Command: call.Name, Params: []byte("{}"), Kind: domain.KindControl, Effect: domain.EffectRead,
			Status: domain.ExecCancelled, CreatedAt: now, EndedAt: &now,
			Text:  "Not run: the answer could not be read.",
			Error: &domain.CommandError{Code: "format_error", Message: problem},
		})
	}
	stamp(d.session, refused)
	return refused
}
