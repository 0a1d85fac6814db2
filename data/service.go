package data

import (
	"context"
	"errors"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/calendar"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
)

// Service manages the user's data for clients: the rules, each within a transaction of its own. A client's
// writes pass the same checks as the AI's.
//
// A change takes the version that its author saw (0: any) and refuses with precondition_failed if it is
// outdated. It returns the number of the event that shows it.
type Service struct {
	repository Repository
	rules      *Rules
	now        clock.Clock
	newID      domain.IDSource
}

// NewService makes the service.
func NewService(repository Repository, rules *Rules, now clock.Clock, newID domain.IDSource) *Service {
	return &Service{repository: repository, rules: rules, now: now, newID: newID}
}

// write runs a rule in a transaction, and emits its events.
func write[T any](ctx context.Context, s *Service, workspace string,
	rule func(ctx context.Context, store Store, env Env) (T, []domain.DataChange, error)) (T, int64, error) {
	var none, result T
	w, err := s.repository.Workspace(ctx, workspace)
	if err != nil {
		return none, 0, err
	}
	seq, err := s.repository.Write(ctx, workspace, func(ctx context.Context, store Store) ([]domain.DataChange, error) {
		var changes []domain.DataChange
		var err error
		result, changes, err = rule(ctx, store, EnvOf(w, s.now(), s.newID))
		return changes, err
	})
	if errors.Is(err, domain.ErrStale) {
		return none, 0, domain.ChangedSince("data")
	}
	if err != nil {
		return none, 0, err
	}
	return result, seq, nil
}

// noun is a kind of thing with a version, and how one is found.
type noun[T any] struct {
	name    string
	find    func(store Store, ctx context.Context, id string) (*T, error)
	version func(*T) int64
}

var (
	aZone     = noun[userdata.Zone]{"zone", Store.Zone, func(z *userdata.Zone) int64 { return z.Version }}
	aTool     = noun[userdata.Tool]{"tool", Store.Tool, func(t *userdata.Tool) int64 { return t.Version }}
	aToolType = noun[userdata.ToolType]{"tool type", typeByID, func(t *userdata.ToolType) int64 { return t.Version }}
	anEntry   = noun[userdata.Entry]{"entry", Store.Entry, func(e *userdata.Entry) int64 { return e.Version }}
	aDocument = noun[userdata.Document]{"document", Store.DocumentByID, func(d *userdata.Document) int64 { return d.Version }}
)

// ref names one thing as its author saw it; Version 0: any version.
type ref struct {
	workspace, id string
	version       int64
}

// change runs a rule on the stored value, if it is still what the author saw.
func change[T any](ctx context.Context, s *Service, of noun[T], r ref,
	rule func(ctx context.Context, store Store, env Env, present *T) ([]domain.DataChange, error)) (*T, int64, error) {
	return write(ctx, s, r.workspace, func(ctx context.Context, store Store, env Env) (*T, []domain.DataChange, error) {
		present, err := of.find(store, ctx, r.id)
		if err != nil {
			return nil, nil, err
		}
		if r.version != 0 && r.version != of.version(present) {
			return nil, nil, domain.ChangedSince(of.name)
		}
		changes, err := rule(ctx, store, env, present)
		return present, changes, err
	})
}

// one is the list of a rule's single change.
func one(c domain.DataChange, err error) ([]domain.DataChange, error) {
	if err != nil {
		return nil, err
	}
	return []domain.DataChange{c}, nil
}

// made is a rule's new value, with the list of its single change.
func made[T any](it T, c domain.DataChange, err error) (T, []domain.DataChange, error) {
	changes, err := one(c, err)
	return it, changes, err
}

// Search finds texts in the committed data.
func (s *Service) Search(ctx context.Context, workspace string, query userdata.SearchQuery) ([]userdata.SearchHit, string, error) {
	return s.repository.Read(workspace).Search(ctx, query)
}

// ResolvePeriod reads a period as seen from now, in the workspace's calendar.
func (s *Service) ResolvePeriod(ctx context.Context, workspace string, period calendar.Period) (calendar.Span, error) {
	w, err := s.repository.Workspace(ctx, workspace)
	if err != nil {
		return calendar.Span{}, err
	}
	dates, err := calendar.Of(&w.Settings)
	if err != nil {
		return calendar.Span{}, err
	}
	return period.Resolve(s.now(), dates)
}
