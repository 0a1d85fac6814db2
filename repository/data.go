package repository

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain/userdata"
	stored "github.com/fermata-dev/fermata/repository/userdata"
)

// Data is the user's data of one workspace, bound to a transaction or to the read pool.
type Data = stored.Data

// ReadData returns the committed data of a workspace, read-only.
func (s *Store) ReadData(workspace string) *Data { return stored.ReadData(s.db, workspace) }

// EntriesMadeAt lists the entries of a tool that were created by one call, identified by their
// CreatedAt, in the order of their ids.
func (s *EventStore) EntriesMadeAt(ctx context.Context, workspace, tool string, made time.Time, limit int) ([]*userdata.Entry, error) {
	return stored.EntriesMadeAt(ctx, s.db, workspace, tool, made, limit)
}
