package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Zones are a page of the zones, by position.
func (s *Service) Zones(ctx context.Context, workspace, cursor string, limit int) ([]userdata.Zone, string, error) {
	return s.repository.Read(workspace).ZonesPage(ctx, cursor, limit)
}

// Zone is one of them.
func (s *Service) Zone(ctx context.Context, workspace, id string) (*userdata.Zone, error) {
	return s.repository.Read(workspace).Zone(ctx, id)
}

// CreateZone adds a zone.
func (s *Service) CreateZone(ctx context.Context, workspace string, in userdata.ZoneFields) (*userdata.Zone, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Zone, []domain.DataChange, error) {
		return made(s.rules.CreateZone(ctx, store, env, in))
	})
}

// UpdateZone changes a zone.
func (s *Service) UpdateZone(ctx context.Context, workspace, id string, version int64,
	patch userdata.ZonePatch) (*userdata.Zone, int64, error) {
	return change(ctx, s, aZone, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, zone *userdata.Zone) ([]domain.DataChange, error) {
			return one(s.rules.UpdateZone(ctx, store, env, zone, patch))
		})
}

// DeleteZone deletes a zone; one that holds tools only with force.
func (s *Service) DeleteZone(ctx context.Context, workspace, id string, version int64, force bool) (int64, error) {
	_, seq, err := change(ctx, s, aZone, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, zone *userdata.Zone) ([]domain.DataChange, error) {
			return one(s.rules.DeleteZone(ctx, store, env, zone, force))
		})
	return seq, err
}

// RestoreZone undoes the deletion of a zone.
func (s *Service) RestoreZone(ctx context.Context, workspace, id string) (*userdata.Zone, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Zone, []domain.DataChange, error) {
		return s.rules.RestoreZone(ctx, store, env, id)
	})
}
