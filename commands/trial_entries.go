package commands

import (
	"context"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Entry finds an entry; one whose tool was deleted is gone with it.
func (t *trial) Entry(ctx context.Context, id string) (*userdata.Entry, error) {
	entry, err := t.entries.one(id, "entry", func() (*userdata.Entry, error) { return t.Store.Entry(ctx, id) })
	if err != nil {
		return nil, err
	}
	if tool, written := t.tools[entry.ToolID]; written && tool == nil {
		return nil, domain.NotFound("entry")
	}
	return entry, nil
}

func (t *trial) InsertEntries(_ context.Context, entries []userdata.Entry) error {
	for i := range entries {
		t.entries.put(entries[i].ID, &entries[i])
		t.count[entries[i].ToolID]++
	}
	return nil
}

func (t *trial) UpdateEntries(_ context.Context, entries ...*userdata.Entry) error {
	for _, entry := range entries {
		entry.Version++
		t.entries.put(entry.ID, entry)
	}
	return nil
}

func (t *trial) DeleteEntries(ctx context.Context, ids []string, _ time.Time) error {
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

func (t *trial) CountEntries(ctx context.Context, toolID string) (int64, error) {
	n, err := t.Store.CountEntries(ctx, toolID)
	return n + t.count[toolID], err
}

func (t *trial) Documents(ctx context.Context) ([]userdata.Document, error) {
	beneath, err := t.Store.Documents(ctx)
	return t.docs.all(beneath, func(d *userdata.Document) string { return d.Key }), err
}

func (t *trial) Document(ctx context.Context, key string) (*userdata.Document, error) {
	return t.docs.one(key, "document", func() (*userdata.Document, error) { return t.Store.Document(ctx, key) })
}

func (t *trial) PutDocument(_ context.Context, d *userdata.Document) error {
	d.Version++
	t.docs.put(d.Key, d)
	return nil
}

func (t *trial) KeepDocumentVersion(context.Context, string, *userdata.DocumentVersion) error {
	return nil
}

// DeleteDocument is here so that no trial deletes what is beneath; no action asks for it.
func (t *trial) DeleteDocument(ctx context.Context, id string, _ time.Time) error {
	doc, err := t.DocumentByID(ctx, id)
	if err == nil {
		t.docs[doc.Key] = nil
	}
	return err
}

// A trial does not restore what was deleted before.

func (t *trial) RestoreZone(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Zone(ctx, id)
	return false, err
}

func (t *trial) RestoreTool(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Tool(ctx, id)
	return false, err
}

func (t *trial) RestoreEntry(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.Entry(ctx, id)
	return false, err
}

func (t *trial) RestoreDocument(ctx context.Context, id string, _ time.Time) (bool, error) {
	_, err := t.DocumentByID(ctx, id)
	return false, err
}
