package tasks

import (
	"sync"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

// progress holds reports that follow a stored one closely: the latest is stored a little later, and lost
// if the process stops. The next report supersedes it anyway.
type progress struct {
	mu     sync.Mutex
	latest map[string]domain.TaskReport
}

const (
	// progressDelay is when progress that came too soon is stored.
	progressDelay = time.Second
	// maxProgress bounds the tasks of which some is kept.
	maxProgress = 10_000
)

// keepProgress stores the latest progress of a task when it may be stored.
func (s *Service) keepProgress(t *domain.Task, r domain.TaskReport) {
	s.late.mu.Lock()
	defer s.late.mu.Unlock()
	if s.late.latest == nil {
		s.late.latest = map[string]domain.TaskReport{}
	}
	_, waits := s.late.latest[t.ID]
	if !waits && len(s.late.latest) >= maxProgress {
		return
	}
	s.late.latest[t.ID] = r
	if waits {
		return
	}
	s.work.Go(func() {
		timer := time.NewTimer(progressDelay)
		defer timer.Stop()
		select {
		case <-timer.C:
			s.storeProgress(t.ID)
		case <-s.base.Done():
		}
	})
}

func (s *Service) storeProgress(id string) {
	s.late.mu.Lock()
	r := s.late.latest[id]
	delete(s.late.latest, id)
	s.late.mu.Unlock()
	if _, err := s.ReportTask(s.base, id, r); err != nil && domain.ErrorCode(err) != domain.CodeTaskOver && s.base.Err() == nil {
		s.cfg.Log.Info().Err(err).Str("task", id).Msg("the progress of a task was not stored")
	}
}
