package tasks

import (
	"context"
	"encoding/json"

	"github.com/fermata-dev/fermata/domain"
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
	id := s.cfg.NewID(domain.PrefixApproval)
	return s.write(t, "that a service asks something could not be stored; it is asked again", func(v *domain.View, change *domain.Change) {
		now := s.cfg.Clock()
		own := t.Clone()
		if own.Question != nil {
			scheduler.SettleTaskQuestion(v, change, own, domain.ApprovalStatusStale, now)
		}
		own.Question = &domain.TaskQuestion{ApprovalID: id, Key: asks.Key}
		scheduler.OpenTaskQuestion(v, change, own, asks, response, now)
		s.due(change, own)
	})
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
		return domain.FaultOf(err) == domain.FaultRefused && s.forget(t) // it is asked again
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
	return s.write(t, "that a service asks nothing more could not be stored", func(v *domain.View, change *domain.Change) {
		own := t.Clone()
		scheduler.SettleTaskQuestion(v, change, own, domain.ApprovalStatusStale, s.cfg.Clock())
		own.Question = nil
		s.due(change, own)
	})
}

// due writes a task whose question has changed.
func (s *Service) due(change *domain.Change, own *domain.Task) {
	now := s.cfg.Clock()
	own.UpdatedAt = now
	own.SetDue(now)
	change.Tasks = append(change.Tasks, own)
	change.Emit(domain.LogEvent{SessionID: own.SessionID, Type: domain.LogTaskChanged, Task: own})
}

// write changes what a task asks, beside its session; false: the task or its session has changed
// meanwhile, or nothing could be written. It is looked at again then, when its claim is over.
func (s *Service) write(t *domain.Task, failed string, do func(*domain.View, *domain.Change)) bool {
	_, err := s.cfg.Door.Deliver(s.base, scheduler.Request{
		Workspace: t.WorkspaceID, Session: t.SessionID, Event: scheduler.Happens(nil),
		Also: func(v *domain.View, change *domain.Change) error { do(v, change); return nil },
	})
	if err != nil && s.base.Err() == nil {
		s.cfg.Log.Info().Err(err).Str("task", t.ID).Msg(failed)
	}
	if err == nil {
		s.cfg.Door.ComesDue(s.cfg.Clock())
	}
	return true
}
