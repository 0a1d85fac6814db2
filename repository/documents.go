package repository

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

type documentRow struct {
	WorkspaceID string `db:"workspace_id"`
	ID          string `db:"id"`
	Key         string `db:"key"`
	Title       string `db:"title"`
	Body        string `db:"body"`
	Published   string `db:"published_body"`
	Version     int64  `db:"version"`
	PublishedAt stamp  `db:"published_at"`
	CreatedAt   stamp  `db:"created_at"`
	UpdatedAt   stamp  `db:"updated_at"`
}

const documentColumns = "workspace_id, id, key, title, body, published_body, version, published_at, created_at, updated_at"

func (r *documentRow) document() domain.Document {
	return domain.Document{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Key: r.Key, Title: r.Title, Body: r.Body, Published: r.Published,
		Version: r.Version, PublishedAt: r.PublishedAt.ptr(), CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
}

const liveDocuments = "SELECT " + documentColumns + " FROM documents WHERE workspace_id = $1 AND deleted_at IS NULL"

// Documents lists the documents by key.
func (d *Data) Documents(ctx context.Context) ([]domain.Document, error) {
	var rows []documentRow
	if err := d.r.all(ctx, &rows, liveDocuments+" ORDER BY key", d.workspace); err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	return values(rows, (*documentRow).document), nil
}

// DocumentsPage lists a page of them, in the same order, and gives the cursor of the
// next one, "" at the end.
func (d *Data) DocumentsPage(ctx context.Context, cursor string, limit int) ([]domain.Document, string, error) {
	after, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT "+documentColumns+" FROM documents WHERE workspace_id = ? AND deleted_at IS NULL AND key > ? ORDER BY key",
		d.workspace, after.Name)
	rows, next, err := turn(ctx, d.r, q, limit, func(r *documentRow) cursorKey { return cursorKey{0, r.Key, r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the documents: %w", err)
	}
	return values(rows, (*documentRow).document), next, nil
}

// Document reads the document with a key.
func (d *Data) Document(ctx context.Context, key string) (*domain.Document, error) {
	return one(ctx, d, "document", liveDocuments+" AND key = $2", key, (*documentRow).document)
}

// DocumentByID reads the document with an id.
func (d *Data) DocumentByID(ctx context.Context, id string) (*domain.Document, error) {
	return one(ctx, d, "document", liveDocuments+" AND id = $2", id, (*documentRow).document)
}

// PutDocument stores a document: version 0 is a new one, any other is the condition
// of an update. The version is bumped.
func (d *Data) PutDocument(ctx context.Context, doc *domain.Document) error {
	if doc.Version > 0 {
		n, err := d.exec(ctx, "UPDATE documents SET key = $4, title = $5, body = $6, published_body = $7, published_at = $8, "+
			"updated_at = $9, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3 AND deleted_at IS NULL",
			d.workspace, doc.ID, doc.Version, doc.Key, doc.Title, doc.Body, doc.Published, stampOf(doc.PublishedAt), stamp{doc.UpdatedAt})
		if err := d.updated(ctx, n, err, "documents", "document", doc.ID, &doc.Version); err != nil {
			return err
		}
		return d.reindexDocument(ctx, doc)
	}
	_, err := d.exec(ctx, "INSERT INTO documents ("+documentColumns+") VALUES ("+placeholders(1, 10)+")",
		d.workspace, doc.ID, doc.Key, doc.Title, doc.Body, doc.Published, 1, stampOf(doc.PublishedAt), stamp{doc.CreatedAt}, stamp{doc.UpdatedAt})
	if err != nil {
		return fmt.Errorf("insert the document: %w", err)
	}
	doc.WorkspaceID, doc.Version = d.workspace, 1
	return d.reindexDocument(ctx, doc)
}

// DeleteDocument takes a document away.
func (d *Data) DeleteDocument(ctx context.Context, id string, at time.Time) error {
	if err := d.deleted(ctx, "documents", "document", id, at); err != nil {
		return err
	}
	return d.unindex(ctx, "id = $2", id)
}

// KeepDocumentVersion keeps what a document has just published.
func (d *Data) KeepDocumentVersion(ctx context.Context, doc *domain.Document) error {
	_, err := d.exec(ctx, "INSERT INTO document_versions (workspace_id, document_id, version, title, body, published_at) VALUES ("+placeholders(1, 6)+")",
		d.workspace, doc.ID, doc.Version, doc.Title, doc.Published, stampOf(doc.PublishedAt))
	if err != nil {
		return fmt.Errorf("keep the published version: %w", err)
	}
	return nil
}

type documentVersionRow struct {
	Version     int64  `db:"version"`
	Title       string `db:"title"`
	Body        string `db:"body"`
	PublishedAt stamp  `db:"published_at"`
}

func (r *documentVersionRow) version() domain.DocumentVersion {
	return domain.DocumentVersion{Version: r.Version, Title: r.Title, Body: r.Body, PublishedAt: r.PublishedAt.Time}
}

// DocumentVersions lists a page of what a document has published, the latest first and
// without the texts, and gives the cursor of the next page, "" at the end.
func (d *Data) DocumentVersions(ctx context.Context, id, cursor string, limit int) ([]domain.DocumentVersion, string, error) {
	after, err := readCursor(cursor)
	if err != nil {
		return nil, "", err
	}
	q := newQuery("SELECT version, title, '' AS body, published_at FROM document_versions WHERE workspace_id = ? AND document_id = ?", d.workspace, id)
	if cursor != "" {
		q.add(" AND version < ?", after.Number)
	}
	q.add(" ORDER BY version DESC")
	rows, next, err := turn(ctx, d.r, q, limit, func(r *documentVersionRow) cursorKey { return cursorKey{r.Version, "", id} })
	if err != nil {
		return nil, "", fmt.Errorf("list the published versions: %w", err)
	}
	return values(rows, (*documentVersionRow).version), next, nil
}

// DocumentVersion reads one published version with its text.
func (d *Data) DocumentVersion(ctx context.Context, id string, version int64) (*domain.DocumentVersion, error) {
	var row documentVersionRow
	err := d.r.get(ctx, &row, "SELECT version, title, body, published_at FROM document_versions WHERE workspace_id = $1 AND document_id = $2 AND version = $3",
		d.workspace, id, version)
	if missing(err) {
		return nil, domain.NotFound("published version")
	}
	if err != nil {
		return nil, fmt.Errorf("read the published version: %w", err)
	}
	v := row.version()
	return &v, nil
}
