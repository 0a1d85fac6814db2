package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/outside"
	"github.com/fermata-dev/fermata/scheduler/tasks"
)

// taskReads combines reads of stored tasks with the operations on them.
type taskReads struct {
	*outside.TaskStore
	service *tasks.Service
}

func (t taskReads) CancelTask(ctx context.Context, ws, id string, by domain.Author) (*domain.Task, error) {
	return t.service.CancelTask(ctx, ws, id, by)
}

// taskServices are the external services that work for sessions.
type taskServices struct {
	*connectors.Service
	*connectors.Manager
}

// callbackURL is the base address for the services' callbacks, followed by a task's id. A server that
// only this machine can reach needs no public address: its services are on this machine too.
func (a *App) callbackURL() (string, error) {
	base, err := publicURL(a, "services need for callbacks")
	return base + "/v1/callbacks/", err
}

// publicURL is the address at which others reach this server, without a trailing slash.
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
