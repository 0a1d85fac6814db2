package connectors

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/fermata-dev/fermata/domain/outside"
)

// Refresher lists commands again after servers announced a change. It processes one connector at a
// time and coalesces repeated announcements.
type Refresher struct {
	service *Service
	failed  func(workspace, id string, err error)

	wake chan struct{}
	mu   sync.Mutex
	due  map[dueKey]bool
	stop context.CancelFunc
	done chan struct{}
}

type dueKey struct{ workspace, id string }

// NewRefresher returns a Refresher that works after Start. failed receives the errors.
func NewRefresher(s *Service, failed func(workspace, id string, err error)) *Refresher {
	return &Refresher{service: s, failed: failed, wake: make(chan struct{}, 1), due: map[dueKey]bool{}}
}

// Enqueue schedules a connector whose server announced another list. It does not block.
func (r *Refresher) Enqueue(c *outside.Connector) {
	r.mu.Lock()
	r.due[dueKey{c.WorkspaceID, c.ID}] = true
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Start starts the worker.
func (r *Refresher) Start(context.Context) error {
	ctx, stop := context.WithCancel(context.Background())
	r.stop, r.done = stop, make(chan struct{})
	go func() {
		defer close(r.done)
		for {
			select {
			case <-r.wake:
				r.work(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
	return nil
}

// Stop ends the worker. Pending connectors are listed again when their server is next used.
func (r *Refresher) Stop(context.Context) error {
	if r.stop != nil {
		r.stop()
		<-r.done
	}
	return nil
}

func (r *Refresher) work(ctx context.Context) {
	r.mu.Lock()
	due := r.due
	r.due = map[dueKey]bool{}
	r.mu.Unlock()
	for key := range due {
		if err := r.service.relistChanged(ctx, key.workspace, key.id); err != nil && ctx.Err() == nil {
			r.failed(key.workspace, key.id, err)
		}
	}
}

// relistChanged lists the commands again and stores them if they differ. Without a difference the
// connector keeps its version, so that concurrent edits do not conflict.
func (s *Service) relistChanged(ctx context.Context, workspace, id string) error {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return err
	}
	if !c.Enabled || s.kinds[c.Kind] == nil || s.kinds[c.Kind].Written {
		return nil
	}
	listing, err := s.discover(ctx, c)
	if err != nil {
		return err
	}
	commands, detail, err := taken(c, listing)
	if err != nil {
		return err
	}
	if c.StatusDetail == detail && sameCommands(c.Commands, commands) {
		return nil
	}
	_, err = s.change(ctx, workspace, id, 0, func(now *outside.Connector) error {
		commands, detail, err := taken(now, listing)
		if err != nil {
			return err
		}
		at := s.clock()
		now.Commands, now.LastListedAt, now.Status, now.StatusDetail = commands, &at, outside.ConnectorReady, detail
		return nil
	})
	return err
}

// sameCommands compares commands in their stored form.
func sameCommands(a, b []outside.ConnectorCommand) bool {
	one, err := json.Marshal(a)
	if err != nil {
		return false
	}
	other, err := json.Marshal(b)
	return err == nil && bytes.Equal(one, other)
}
