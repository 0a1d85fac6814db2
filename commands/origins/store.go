package origins

import (
	"context"
	"slices"
	"sync"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Store is the data beneath, and notes what is read through it. It may be used concurrently.
type Store struct {
	data.Store
	mu   sync.Mutex
	read []domain.Provenance
}

// Watch makes the store of one command.
func Watch(beneath data.Store) *Store { return &Store{Store: beneath} }

// From is the source of a text made of the rows that were read; nil: none of them has external content.
func (s *Store) From() *domain.Provenance {
	s.mu.Lock()
	defer s.mu.Unlock()
	return trust.One(s.read)
}

// Mark records in the journal that a built-in command read rows with external content.
func (s *Store) Mark(e *domain.Execution) {
	if from := s.From(); from != nil && e.Foreign == nil {
		e.Foreign = &domain.Foreign{From: *from, Stored: true}
	}
}

func (s *Store) note(rows ...trust.Record) {
	found := trust.Read(rows...)
	if len(found) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range found {
		if !slices.Contains(s.read, p) {
			s.read = append(s.read, p)
		}
	}
}

func noted[T any](s *Store, row *T, err error, of func(*T) trust.Record) (*T, error) {
	if err == nil {
		s.note(of(row))
	}
	return row, err
}

func notedAll[T any](s *Store, rows []T, err error, of func(*T) trust.Record) ([]T, error) {
	for i := range rows {
		s.note(of(&rows[i]))
	}
	return rows, err
}

func ofZone(z *userdata.Zone) trust.Record         { return z.Trust }
func ofTool(t *userdata.Tool) trust.Record         { return t.Trust }
func ofToolType(t *userdata.ToolType) trust.Record { return t.Trust }
func ofEntry(e *userdata.Entry) trust.Record       { return e.Trust }
func ofDocument(d *userdata.Document) trust.Record { return d.Trust }

// Zones lists the zones.
func (s *Store) Zones(ctx context.Context) ([]userdata.Zone, error) {
	all, err := s.Store.Zones(ctx)
	return notedAll(s, all, err, ofZone)
}

// Zone finds a zone.
func (s *Store) Zone(ctx context.Context, id string) (*userdata.Zone, error) {
	z, err := s.Store.Zone(ctx, id)
	return noted(s, z, err, ofZone)
}

// Tools lists tools.
func (s *Store) Tools(ctx context.Context, zoneID string) ([]userdata.Tool, error) {
	all, err := s.Store.Tools(ctx, zoneID)
	return notedAll(s, all, err, ofTool)
}

// Tool finds a tool.
func (s *Store) Tool(ctx context.Context, id string) (*userdata.Tool, error) {
	t, err := s.Store.Tool(ctx, id)
	return noted(s, t, err, ofTool)
}

// ToolTypes lists the workspace's own tool types.
func (s *Store) ToolTypes(ctx context.Context) ([]userdata.ToolType, error) {
	all, err := s.Store.ToolTypes(ctx)
	return notedAll(s, all, err, ofToolType)
}

// Entry finds an entry.
func (s *Store) Entry(ctx context.Context, id string) (*userdata.Entry, error) {
	e, err := s.Store.Entry(ctx, id)
	return noted(s, e, err, ofEntry)
}

// Entries lists a page of entries.
func (s *Store) Entries(ctx context.Context, filter userdata.EntryFilter) ([]userdata.Entry, string, error) {
	page, next, err := s.Store.Entries(ctx, filter)
	page, err = notedAll(s, page, err, ofEntry)
	return page, next, err
}

// Stats computes statistics of entries.
func (s *Store) Stats(ctx context.Context, filter userdata.StatsFilter) (userdata.Stats, error) {
	stats, err := s.Store.Stats(ctx, filter)
	s.note(stats.Trust)
	return stats, err
}

// StatsByField computes statistics of entries for each value of a field, which may be a text.
func (s *Store) StatsByField(
	ctx context.Context, filter userdata.StatsFilter, by userdata.Field, limit int,
) ([]userdata.Stats, error) {
	groups, err := s.Store.StatsByField(ctx, filter, by, limit)
	return notedAll(s, groups, err, func(g *userdata.Stats) trust.Record { return g.Trust })
}

// Documents lists the documents.
func (s *Store) Documents(ctx context.Context) ([]userdata.Document, error) {
	all, err := s.Store.Documents(ctx)
	return notedAll(s, all, err, ofDocument)
}

// Document finds a document by its key.
func (s *Store) Document(ctx context.Context, key string) (*userdata.Document, error) {
	d, err := s.Store.Document(ctx, key)
	return noted(s, d, err, ofDocument)
}

// DocumentByID finds a document by its id.
func (s *Store) DocumentByID(ctx context.Context, id string) (*userdata.Document, error) {
	d, err := s.Store.DocumentByID(ctx, id)
	return noted(s, d, err, ofDocument)
}

// Search finds texts.
func (s *Store) Search(ctx context.Context, query userdata.SearchQuery) ([]userdata.SearchHit, string, error) {
	hits, next, err := s.Store.Search(ctx, query)
	for i := range hits {
		s.note(hits[i].Trust)
		s.note(hits[i].Names...)
	}
	return hits, next, err
}
