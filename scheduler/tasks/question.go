package tasks

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/scheduler"
)

// question handles a service's question, or the end of an earlier one: a person is asked, or the answer is
// delivered. false: there was nothing to do.
func (s *Service) question(ctx context.Context, t *domain.Task, r domain.TaskReport) bool {
	asks, known := r.Question, t.Question
	switch {
	case r.Status.Over(), asks == nil && known == nil:
		return false
	case asks == nil:
		return s.forget(t)
	case known != nil && known.Key == asks.Key && len(known.Answer) == 0:
		return false // it waits for a person
	case known != nil && known.Key == asks.Key:
		return s.answer(ctx, t)
	}
	shown, response, ok := s.cfg.Shown(asks.Module)
	if !ok {
		s.decline(ctx, t, asks.Key)
		return false
	}
	own := *asks
	own.Module = shown
	return s.put(t, &own, response)
}

// put asks a person.
func (s *Service) put(t *domain.Task, asks *domain.TaskAsks, response json.RawMessage) bool {
	return s.write(scheduler.TaskQuestionRequest{
		Target: targetOf(t), Task: t, Asks: asks, ApprovalID: s.cfg.NewID(domain.PrefixApproval), Response: response,
	}, "that a service asks something could not be stored; it is asked again")
}

// answer delivers a person's answer to the service. It is repeated as long as its receipt is uncertain:
// the service stops asking for this key once it has it.
func (s *Service) answer(ctx context.Context, t *domain.Task) bool {
	err := s.cfg.Remote.AnswerTask(ctx, t, t.Question.Key, t.Question.Answer)
	if s.base.Err() != nil {
		return true
	}
	if err != nil {
		s.cfg.Log.Info().Err(err).Str("task", t.ID).Msg("a person's answer could not be sent to a service; it is sent again")
		return outside.FaultOf(err) == outside.FaultRefused && s.forget(t) // it is asked again
	}
	return s.forget(t)
}

// decline notifies a service that its question cannot be answered.
func (s *Service) decline(ctx context.Context, t *domain.Task, key string) {
	if err := s.cfg.Remote.AnswerTask(ctx, t, key, json.RawMessage("null")); err != nil {
		s.cfg.Log.Info().Err(err).Str("task", t.ID).Msg("a service could not be notified that its question cannot be answered")
	}
}

// forget notes that the service does not ask any more.
func (s *Service) forget(t *domain.Task) bool {
	return s.write(scheduler.TaskQuestionRequest{Target: targetOf(t), Task: t}, "that a service asks nothing more could not be stored")
}

func targetOf(t *domain.Task) scheduler.Target {
	return scheduler.Target{Workspace: t.WorkspaceID, Session: t.SessionID}
}

// write changes what a task asks, beside its session. If the task or its session has changed
// meanwhile, or nothing could be written, it is looked at again when its claim is over.
func (s *Service) write(r scheduler.TaskQuestionRequest, failed string) bool {
	_, err := s.cfg.Door.Deliver(s.base, r)
	if err != nil && s.base.Err() == nil {
		s.cfg.Log.Info().Err(err).Str("task", r.Task.ID).Msg(failed)
	}
	if err == nil {
		s.cfg.Door.ComesDue(s.cfg.Clock())
	}
	return true
}
