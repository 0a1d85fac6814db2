package tasks

import (
	"context"
	"errors"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

const (
	// callTime bounds one call of a service, and claimTime how long everybody else leaves the
	// task alone meanwhile: also after the death of the process that called.
	callTime  = 15 * time.Second
	claimTime = 2 * callTime
	// stopTries limits the notifications to stop: after 1, 2, 4 ... minutes.
	stopTries = 8
	tellAgain = time.Minute
	// shortestPoll limits how often a service is polled.
	shortestPoll = time.Second
)

// TaskDue processes a due task. Calls of its service run in the background: the scheduler does not wait.
func (s *Service) TaskDue(ctx context.Context, ref domain.TaskRef) error {
	t, err := s.cfg.Store.Task(ctx, ref.WorkspaceID, ref.ID)
	now := s.cfg.Clock()
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound:
		return nil
	case err != nil:
		return err
	case t.DueAt == nil || t.DueAt.After(now): // another node was faster
		return nil
	case t.Awake() && t.Owed == domain.OwedRequested:
		return s.cancelRequested(ctx, ref)
	case t.Awake() && !t.Deadline.After(now):
		return s.expire(ctx, ref)
	}
	if err := s.cfg.Store.ClaimTask(ctx, t, now.Add(claimTime)); err != nil {
		if errors.Is(err, domain.ErrStale) {
			return nil
		}
		return err
	}
	s.aside(func(ctx context.Context) {
		if t.Awake() {
			s.ask(ctx, t)
		} else {
			s.notifyStop(ctx, t)
		}
	})
	return nil
}

// aside does something with a service when there is room for it.
func (s *Service) aside(do func(context.Context)) {
	s.work.Go(func() {
		select {
		case s.room <- struct{}{}:
		case <-s.base.Done():
			return
		}
		defer func() { <-s.room }()
		ctx, cancel := context.WithTimeout(s.base, callTime)
		defer cancel()
		do(ctx)
	})
}

// notifyStop notifies a service that its work is no longer needed.
func (s *Service) notifyStop(ctx context.Context, t *domain.Task) {
	err := s.cfg.Remote.CancelTask(ctx, t, t.Owed)
	if s.base.Err() != nil {
		return // it is sent again by the next one
	}
	var next *time.Time
	if err != nil && t.Tries+1 < stopTries {
		at := s.cfg.Clock().Add(tellAgain << t.Tries)
		next = &at
	}
	if err != nil {
		s.cfg.Log.Info().Err(err).Str("task", t.ID).Bool("again", next != nil).Msg("a service could not be notified to stop")
	}
	if err := s.cfg.Store.OweTask(s.base, t, t.Tries+1, next); err != nil && !errors.Is(err, domain.ErrStale) {
		s.cfg.Log.Warn().Err(err).Str("task", t.ID).Msg("could not record that a service was notified to stop; it is notified again")
	}
	if next != nil {
		s.cfg.Door.ComesDue(*next)
	}
}

// ask polls a service. An unreachable one is polled again, until the deadline.
func (s *Service) ask(ctx context.Context, t *domain.Task) {
	report, err := s.cfg.Remote.PollTask(ctx, t)
	if s.base.Err() != nil {
		return
	}
	if err != nil {
		s.cfg.Log.Info().Err(err).Str("task", t.ID).Msg("a service could not be asked about a task; it is asked again")
	} else if s.question(ctx, t, report) {
		return
	}
	if err != nil || report.Status == "" || !report.Status.Over() && !says(t, report) {
		next := s.cfg.Clock().Add(max(t.Interval(), shortestPoll))
		if next.After(t.Deadline) {
			next = t.Deadline
		}
		if err := s.cfg.Store.ClaimTask(s.base, t, next); err != nil && !errors.Is(err, domain.ErrStale) {
			s.cfg.Log.Warn().Err(err).Str("task", t.ID).Msg("the next question about a task could not be noted")
		}
		s.cfg.Door.ComesDue(next)
		return
	}
	if _, err := s.ReportTask(s.base, t.ID, report); err != nil && domain.ErrorCode(err) != domain.CodeTaskOver {
		s.cfg.Log.Warn().Err(err).Str("task", t.ID).Msg("what a service answered could not be stored; it is asked again")
	}
}

// says reports whether the service's report is new.
func says(t *domain.Task, r domain.TaskReport) bool {
	if t.Status != r.Status {
		return true
	}
	p := r.Progress
	return p != nil && (p.Text != "" && p.Text != t.Progress.Text ||
		p.Percent != nil && (t.Progress.Percent == nil || *p.Percent != *t.Progress.Percent))
}
