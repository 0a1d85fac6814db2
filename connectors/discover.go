package connectors

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/internal/visible"
)

// discoverTimeout bounds connecting and listing together.
const discoverTimeout = 30 * time.Second

// discover opens a separate connection and lists the commands the server offers.
func (s *Service) discover(ctx context.Context, c *outside.Connector) (listing Listing, err error) {
	kind, err := s.kind(c.Kind)
	if err != nil {
		return Listing{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	connection, err := s.Manager.dial(ctx, kind, c)
	if err != nil {
		return Listing{}, err
	}
	defer func() { _ = connection.Close() }() // it serves this request only
	if pinger, ok := connection.(Pinger); ok {
		if err := pinger.Ping(ctx); err != nil {
			return Listing{}, err
		}
	}
	if kind.Written {
		return Listing{Commands: c.Commands}, nil
	}
	return connection.List(ctx)
}

// TestConnector checks whether a connector's server responds. A failure to respond is in the result
// and is not returned as an error.
func (s *Service) TestConnector(ctx context.Context, workspace, id string) (*outside.ConnectorTest, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	begun := s.clock()
	listing, err := s.discover(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	status, detail, known := s.statusAfter(c, err)
	if !known {
		return nil, err
	}
	if err := s.store(ctx, c, status, detail); err != nil {
		return nil, err
	}
	test := &outside.ConnectorTest{OK: err == nil, Latency: s.clock().Sub(begun), Commands: len(listing.Commands), Status: status}
	if err != nil {
		test.Error = err.Error()
		if failed, ok := errors.AsType[*outside.Error](err); ok {
			test.Error = messageWithOutput(failed)
		}
	}
	return test, nil
}

// store saves the status found by discover, in the database and for calls to compare with.
func (s *Service) store(ctx context.Context, c *outside.Connector, status outside.ConnectorStatus, detail string) error {
	if !c.Enabled {
		return nil
	}
	if err := s.rows.SetConnectorStatus(ctx, c.WorkspaceID, c.ID, status, detail); err != nil {
		return err
	}
	s.Manager.mu.Lock()
	defer s.Manager.mu.Unlock()
	if w := s.Manager.workspaces[c.WorkspaceID]; w != nil && w.endpoints[c.ID] != nil {
		w.endpoints[c.ID].status.Store(status)
	}
	return nil
}

// statusAfter returns the connector's status after discover returned err. known is false if no request
// reached the server, for a reason on our side.
func (s *Service) statusAfter(c *outside.Connector, err error) (status outside.ConnectorStatus, detail string, known bool) {
	failed, ok := errors.AsType[*outside.Error](err)
	switch {
	case err != nil && !ok:
		return "", "", false
	case !c.Enabled:
		return outside.ConnectorDisabled, "", true
	case err == nil:
		return outside.ConnectorReady, "", true
	case failed.Fault == outside.FaultSignIn:
		return outside.ConnectorNeedsSignIn, failed.Message, true
	}
	return outside.ConnectorUnreachable, messageWithOutput(failed), true
}

// messageWithOutput returns the error message with the last output of the connector's program.
func messageWithOutput(failed *outside.Error) string {
	if failed.Said == "" {
		return failed.Message
	}
	return failed.Message + " It wrote: " + failed.Said
}

// RefreshConnector connects and lists the commands again. An unreachable server is reported in the
// connector's status and is not an error.
func (s *Service) RefreshConnector(ctx context.Context, workspace, id string) (*outside.Connector, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	listing, err := s.discover(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	status, detail, known := s.statusAfter(c, err)
	if !known {
		return nil, err
	}
	if err != nil {
		if err := s.store(ctx, c, status, detail); err != nil {
			return nil, err
		}
		return s.rows.Connector(ctx, workspace, id)
	}
	return s.change(ctx, workspace, id, 0, func(now *outside.Connector) error {
		if kind := s.kinds[now.Kind]; !kind.Written {
			commands, left, err := taken(now, listing)
			if err != nil {
				return err
			}
			if now.Commands = commands; status == outside.ConnectorReady {
				detail = left
			}
		}
		at := s.clock()
		now.LastListedAt, now.Status, now.StatusDetail = &at, status, detail
		return nil
	})
}

// maxNotes bounds the notes about a list, in characters.
const maxNotes = 2000

// leftOut joins the notes about commands that were left out of a list.
func leftOut(notes []string) string {
	return visible.Line(shorten.Characters(strings.Join(notes, " "), maxNotes))
}
