package connectors

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// lookTime is how long connecting and listing may take, whole.
const lookTime = 30 * time.Second

// look connects anew, beside the connection that calls use, and lists what the server
// offers.
func (s *Service) look(ctx context.Context, c *domain.Connector) (listing Listing, err error) {
	kind, err := s.kind(c.Kind)
	if err != nil {
		return Listing{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	connection, err := s.Manager.dial(ctx, kind, c)
	if err != nil {
		return Listing{}, err
	}
	defer func() { _ = connection.Close() }() // it was opened for this look alone
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

// TestConnector finds out whether a connector's server answers. A server that does not is
// no error: it is in the result.
func (s *Service) TestConnector(ctx context.Context, workspace, id string) (*domain.ConnectorTest, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	begun := s.clock()
	listing, err := s.look(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	status, detail, told := s.told(c, err)
	if !told {
		return nil, err
	}
	if err := s.store(ctx, c, status, detail); err != nil {
		return nil, err
	}
	test := &domain.ConnectorTest{OK: err == nil, Latency: s.clock().Sub(begun), Commands: len(listing.Commands), Status: status}
	if err != nil {
		test.Error = err.Error()
		if failed, ok := errors.AsType[*domain.OutsideError](err); ok {
			test.Error = withSaid(failed)
		}
	}
	return test, nil
}

// store keeps how a look found a connector, for calls to compare with.
func (s *Service) store(ctx context.Context, c *domain.Connector, status domain.ConnectorStatus, detail string) error {
	if !c.Enabled {
		return nil
	}
	if err := s.rows.SetConnectorStatus(ctx, c.WorkspaceID, c.ID, status, detail); err != nil {
		return err
	}
	s.Manager.mu.Lock()
	defer s.Manager.mu.Unlock()
	if w := s.Manager.workspaces[c.WorkspaceID]; w != nil && w.lines[c.ID] != nil {
		w.lines[c.ID].status.Store(status)
	}
	return nil
}

// told is how a look found the connector; told is false where the server was not even
// asked, for a reason of our own.
func (s *Service) told(c *domain.Connector, err error) (status domain.ConnectorStatus, detail string, told bool) {
	failed, ok := errors.AsType[*domain.OutsideError](err)
	switch {
	case err != nil && !ok:
		return "", "", false
	case !c.Enabled:
		return domain.ConnectorDisabled, "", true
	case err == nil:
		return domain.ConnectorReady, "", true
	case failed.Fault == domain.FaultSignIn:
		return domain.ConnectorNeedsSignIn, failed.Message, true
	}
	return domain.ConnectorUnreachable, withSaid(failed), true
}

// withSaid is what went wrong, with what the connector's program wrote at its end.
func withSaid(failed *domain.OutsideError) string {
	if failed.Said == "" {
		return failed.Message
	}
	return failed.Message + " It wrote: " + failed.Said
}

// RefreshConnector connects anew and lists again. A server that cannot be reached is no
// error: the connector says so.
func (s *Service) RefreshConnector(ctx context.Context, workspace, id string) (*domain.Connector, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	listing, err := s.look(ctx, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	status, detail, told := s.told(c, err)
	if !told {
		return nil, err
	}
	if err != nil {
		if err := s.store(ctx, c, status, detail); err != nil {
			return nil, err
		}
		return s.rows.Connector(ctx, workspace, id)
	}
	return s.change(ctx, workspace, id, 0, func(now *domain.Connector) error {
		if kind := s.kinds[now.Kind]; !kind.Written {
			commands, left, err := taken(now, listing)
			if err != nil {
				return err
			}
			if now.Commands = commands; status == domain.ConnectorReady {
				detail = left
			}
		}
		at := s.clock()
		now.LastListedAt, now.Status, now.StatusDetail = &at, status, detail
		return nil
	})
}

// maxNotes bounds what is told of a list, in characters.
const maxNotes = 2000

// leftOut says what of a server's list was left out, and why.
func leftOut(notes []string) string {
	return domain.VisibleLine(jsonbody.Cut(strings.Join(notes, " "), maxNotes))
}
