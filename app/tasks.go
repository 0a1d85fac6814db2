package app

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
	"github.com/fermata-dev/fermata/scheduler/tasks"
)

// taskReads shows the tasks that are stored beside what is done to them.
type taskReads struct {
	*repository.TaskStore
	service *tasks.Service
}

func (t taskReads) CancelTask(ctx context.Context, ws, id string, by domain.Author) (*domain.Task, error) {
	return t.service.CancelTask(ctx, ws, id, by)
}

// taskServices are the services outside that work for sessions: none, as long as no kind of
// connector begins a task.
type taskServices struct{}

func (taskServices) SigningSecrets(context.Context, string, string) ([]string, error) {
	return nil, nil
}

func (taskServices) CancelTask(context.Context, *domain.Task, string) error { return nil }

func (taskServices) PollTask(context.Context, *domain.Task) (domain.TaskReport, error) {
	return domain.TaskReport{}, domain.NotFound("connector")
}
