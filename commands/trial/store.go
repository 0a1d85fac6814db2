package trial

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Store is the user's data with changes that are kept nowhere: what is written to it is
// read from it again, and the data beneath is only read. It is for one goroutine.
type Store struct {
	data.Store // beneath; every method that writes is its own
	zones      layer[userdata.Zone]
	tools      layer[userdata.Tool]
	types      layer[userdata.ToolType]
	entries    layer[userdata.Entry]
	docs       layer[userdata.Document] // by key
	count      map[string]int64         // entries more or less, by tool
}

// New is a store without changes yet.
func New(beneath data.Store) *Store {
	return &Store{Store: beneath, zones: layer[userdata.Zone]{}, tools: layer[userdata.Tool]{}, types: layer[userdata.ToolType]{},
		entries: layer[userdata.Entry]{}, docs: layer[userdata.Document]{}, count: map[string]int64{}}
}

// layer holds the rows that were written, by id; nil for one that was deleted.
type layer[V any] map[string]*V

func (l layer[V]) put(id string, v *V) {
	own := *v
	l[id] = &own
}

// one reads a row: the one that was written, else the one beneath.
func (l layer[V]) one(id, noun string, beneath func() (*V, error)) (*V, error) {
	written, ok := l[id]
	switch {
	case !ok:
		return beneath()
	case written == nil:
		return nil, domain.NotFound(noun)
	}
	own := *written
	return &own, nil
}

// all lays what was written over the rows beneath.
func (l layer[V]) all(beneath []V, id func(*V) string) []V {
	var rows []V
	seen := map[string]bool{}
	for i := range beneath {
		row := &beneath[i]
		key := id(row)
		seen[key] = true
		if written, ok := l[key]; ok {
			row = written
		}
		if row != nil {
			rows = append(rows, *row)
		}
	}
	for key, written := range l {
		if written != nil && !seen[key] {
			rows = append(rows, *written)
		}
	}
	return rows
}

func (t *Store) Zones(ctx context.Context) ([]userdata.Zone, error) {
	beneath, err := t.Store.Zones(ctx)
	return t.zones.all(beneath, func(z *userdata.Zone) string { return z.ID }), err
}

func (t *Store) Zone(ctx context.Context, id string) (*userdata.Zone, error) {
	return t.zones.one(id, "zone", func() (*userdata.Zone, error) { return t.Store.Zone(ctx, id) })
}

func (t *Store) InsertZone(_ context.Context, z *userdata.Zone) error {
	t.zones.put(z.ID, z)
	return nil
}

func (t *Store) UpdateZone(_ context.Context, z *userdata.Zone) error {
	z.Version++
	t.zones.put(z.ID, z)
	return nil
}

func (t *Store) DeleteZone(ctx context.Context, id string, _ time.Time) error {
	tools, err := t.Tools(ctx, id)
	if err != nil {
		return err
	}
	for i := range tools {
		t.tools[tools[i].ID] = nil
	}
	t.zones[id] = nil
	return nil
}

func (t *Store) Tools(ctx context.Context, zoneID string) ([]userdata.Tool, error) {
	beneath, err := t.Store.Tools(ctx, "") // all: one may have moved to this zone, or away
	if err != nil {
		return nil, err
	}
	var tools []userdata.Tool
	for _, tool := range t.tools.all(beneath, func(tool *userdata.Tool) string { return tool.ID }) {
		if zoneID == "" || tool.ZoneID == zoneID {
			tools = append(tools, tool)
		}
	}
	return tools, nil
}

func (t *Store) Tool(ctx context.Context, id string) (*userdata.Tool, error) {
	return t.tools.one(id, "tool", func() (*userdata.Tool, error) { return t.Store.Tool(ctx, id) })
}

func (t *Store) InsertTool(_ context.Context, tool *userdata.Tool) error {
	t.tools.put(tool.ID, tool)
	return nil
}

func (t *Store) UpdateTool(_ context.Context, tool *userdata.Tool) error {
	tool.Version++
	t.tools.put(tool.ID, tool)
	return nil
}

func (t *Store) DeleteTool(_ context.Context, id string, _ time.Time) error {
	t.tools[id] = nil
	return nil
}

func (t *Store) ToolTypes(ctx context.Context) ([]userdata.ToolType, error) {
	beneath, err := t.Store.ToolTypes(ctx)
	return t.types.all(beneath, func(one *userdata.ToolType) string { return one.ID }), err
}

func (t *Store) InsertToolType(_ context.Context, one *userdata.ToolType) error {
	t.types.put(one.ID, one)
	return nil
}

func (t *Store) UpdateToolType(_ context.Context, one *userdata.ToolType) error {
	one.Version++
	t.types.put(one.ID, one)
	return nil
}

func (t *Store) DeleteToolType(_ context.Context, id string) error {
	t.types[id] = nil
	return nil
}
