package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/scheduler"
)

// maxTries bounds how often something is decided again because the task changed meanwhile.
const maxTries = 10

// ReportTask accepts a service's report about a task, on any node, whichever one drives its session.
func (s *Service) ReportTask(ctx context.Context, id string, r domain.TaskReport) (*domain.Task, error) {
	var news domain.News
	t, err := s.change(ctx, func() (*domain.Task, error) { return s.cfg.Store.TaskOfCallback(ctx, id) },
		func(t *domain.Task) *domain.Task {
			var next *domain.Task
			next, news = t.Report(r, s.cfg.Clock())
			if news == domain.NewsRepeated || news == domain.NewsTooSoon || news == domain.NewsAfter {
				return nil
			}
			return next
		})
	switch {
	case news == domain.NewsLate && domain.ErrorCode(err) == domain.CodeNotFound:
		return nil, over(t) // its session is gone, and nothing of it is kept
	case err != nil:
		return nil, err
	case news == domain.NewsLate, news == domain.NewsAfter && (r.Status.Over() || endedByUs(t)):
		return nil, over(t)
	case news == domain.NewsTooSoon:
		s.keepProgress(t, r)
	}
	return t, nil
}

// endedByUs: its service may not know that its work is no longer needed, and is notified in the response
// to its progress too. (Progress after a service's own final report was only delayed.)
func endedByUs(t *domain.Task) bool {
	return t.Status == domain.TaskCancelled || t.Status == domain.TaskExpired
}

// over refuses what comes for a task that has ended otherwise.
func over(t *domain.Task) error {
	return domain.Errorf(domain.CodeTaskOver, "The task is over: %s. What was said of it now changes nothing.", t.Status)
}

// CancelTask ends a task. Its service is notified as soon as it can be reached.
func (s *Service) CancelTask(ctx context.Context, workspace, id string, by domain.Author) (*domain.Task, error) {
	why := "A person cancelled it."
	if by.Name != "" {
		why = fmt.Sprintf("%s cancelled it.", by.Name)
	}
	t, err := s.change(ctx, func() (*domain.Task, error) { return s.cfg.Store.Task(ctx, workspace, id) },
		func(t *domain.Task) *domain.Task {
			if t.Status.Over() {
				return nil
			}
			next := t.Clone()
			next.Finish(domain.TaskCancelled, why, domain.OwedCancelled, s.cfg.Clock())
			return next
		})
	if err == nil && t.Status != domain.TaskCancelled {
		return nil, over(t)
	}
	return t, err
}

// cancelRequested ends a task that the AI wants cancelled.
func (s *Service) cancelRequested(ctx context.Context, ref domain.TaskRef) error {
	_, err := s.change(ctx, func() (*domain.Task, error) { return s.cfg.Store.Task(ctx, ref.WorkspaceID, ref.ID) },
		func(t *domain.Task) *domain.Task {
			if t.Status.Over() || t.Owed != domain.OwedRequested {
				return nil
			}
			next := t.Clone()
			next.Finish(domain.TaskCancelled, "The AI cancelled it.", domain.OwedCancelled, s.cfg.Clock())
			return next
		})
	return err
}

// expire ends a task past its deadline.
func (s *Service) expire(ctx context.Context, ref domain.TaskRef) error {
	_, err := s.change(ctx, func() (*domain.Task, error) { return s.cfg.Store.Task(ctx, ref.WorkspaceID, ref.ID) },
		func(t *domain.Task) *domain.Task {
			now := s.cfg.Clock()
			if t.Status.Over() || t.Status == domain.TaskUnknown || t.Deadline.After(now) {
				return nil
			}
			next := t.Clone()
			next.Finish(domain.TaskExpired, "Its time was over before it ended.", domain.OwedExpired, now)
			return next
		})
	return err
}

// change reads a task, decides its new state (nil: unchanged) and delivers it to its session. After a
// conflict it reads again.
func (s *Service) change(ctx context.Context, read func() (*domain.Task, error), decide func(*domain.Task) *domain.Task) (
	*domain.Task, error,
) {
	for try := 1; ; try++ {
		t, err := read()
		if err != nil {
			return nil, err
		}
		next := decide(t)
		if next == nil {
			return t, nil
		}
		err = s.deliver(ctx, t, next)
		if err == nil || !errors.Is(err, domain.ErrStale) || try == maxTries || !pause(ctx, try) {
			return next, err
		}
	}
}

// pause waits for the one who was faster: what he wrote is seen once it is committed, with
// what others write at the same time.
func pause(ctx context.Context, try int) bool {
	timer := time.NewTimer(time.Millisecond << try)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// deliver delivers a task's new state to its session: an end is an event of the machine, anything else is
// only written.
func (s *Service) deliver(ctx context.Context, was, next *domain.Task) error {
	var r scheduler.Request = scheduler.TaskRequest{Target: targetOf(next), Task: next}
	if !was.Status.Over() && next.Status.Over() {
		execution, err := s.cfg.Store.TaskExecution(ctx, next)
		if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
			return err
		}
		var work domain.Text
		if execution != nil {
			work = s.cfg.Describe(execution.Command, execution.Params)
		}
		r = scheduler.EventRequest{Target: targetOf(next), Event: ended(next, execution, work)}
	}
	if _, err := s.cfg.Door.Deliver(ctx, r); err != nil {
		return fmt.Errorf("take the task to its session: %w", err)
	}
	return nil
}
