package trial

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Entry finds an entry; one whose tool was deleted is gone with it.
func (t *Store) Entry(ctx context.Context, id string) (*userdata.Entry, error) {
	entry, err := t.entries.one(id, "entry", func() (*userdata.Entry, error) { return t.Store.Entry(ctx, id) })
	if err != nil {
		return nil, err
	}
	if tool, written := t.tools[entry.ToolID]; written && tool == nil {
		return nil, domain.NotFound("entry")
	}
	return entry, nil
}

func (t *Store) InsertEntries(_ context.Context, entries []userdata.Entry) error {
	for i := range entries {
		t.entries.put(entries[i].ID, &entries[i])
		t.count[entries[i].ToolID]++
	}
	return nil
}

func (t *Store) UpdateEntries(_ context.Context, entries ...*userdata.Entry) error {
	for _, entry := range entries {
		entry.Version++
		t.entries.put(entry.ID, entry)
	}
	return nil
}

func (t *Store) DeleteEntries(ctx context.Context, ids []string, _ time.Time) error {
	for _, id := range ids {
		entry, err := t.Entry(ctx, id)
		if err != nil {
			return err
		}
		t.entries[id] = nil
		t.count[entry.ToolID]--
	}
	return nil
}

func (t *Store) CountEntries(ctx context.Context, toolID string) (int64, error) {
	n, err := t.Store.CountEntries(ctx, toolID)
	return n + t.count[toolID], err
}

func (t *Store) Documents(ctx context.Context) ([]userdata.Document, error) {
	beneath, err := t.Store.Documents(ctx)
	return t.docs.all(beneath, func(d *userdata.Document) string { return d.Key }), err
}

func (t *Store) Document(ctx context.Context, key string) (*userdata.Document, error) {
	return t.docs.one(key, "document", func() (*userdata.Document, error) { return t.Store.Document(ctx, key) })
}

func (t *Store) PutDocument(_ context.Context, d *userdata.Document) error {
	d.Version++
	t.docs.put(d.Key, d)
	return nil
}

func (t *Store) KeepDocumentVersion(context.Context, string, *userdata.DocumentVersion) error {
	return nil
}

// DeleteDocument is here so that nothing deletes what is beneath; no action asks for it.
func (t *Store) DeleteDocument(ctx context.Context, id string, _ time.Time) error {
	doc, err := t.DocumentByID(ctx, id)
	if err == nil {
		t.docs[doc.Key] = nil
	}
	return err
}

// RestoreZone restores nothing, as no restoration does here: what was deleted before stays deleted.
func (t *Store) RestoreZone(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Zone(ctx, id)
	return false, err
}

func (t *Store) RestoreTool(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Tool(ctx, id)
	return false, err
}

func (t *Store) RestoreEntry(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Entry(ctx, id)
	return false, err
}

func (t *Store) RestoreDocument(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.DocumentByID(ctx, id)
	return false, err
}
