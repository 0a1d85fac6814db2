package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/connectors"
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

// taskServices are the services outside that work for sessions.
type taskServices struct {
	*connectors.Service
	*connectors.Manager
}

// callbackURL is what services call back under, with the id of a task behind it. A server
// that only this machine reaches needs no public address: neither do its services.
func (a *App) callbackURL() (string, error) {
	base, err := publicURL(a, "the service calls back under")
	return base + "/v1/callbacks/", err
}

// publicURL is where others reach this server, without a slash at the end.
func publicURL(a *App, what string) (string, error) {
	base := strings.TrimSuffix(a.flags.PublicURL, "/")
	if base == "" && a.flags.onLoopback() && a.listener != nil {
		base = a.URL()
	}
	if base == "" {
		return "", fmt.Errorf("this server does not know its own address, which %s: set FERMATA_PUBLIC_URL", what)
	}
	return base, nil
}
