package userdata

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

var documentCeiling = transaction.Ceiling{Most: 1000, Noun: "documents", From: "documents WHERE deleted_at IS NULL"}

type documentRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	ID          string `db:"id,key"`
	Key         string `db:"key"`
	documentColumns
	trustColumns
	Published   string      `db:"published_body"`
	Version     int64       `db:"version,version"`
	PublishedAt sqldb.Stamp `db:"published_at"`
	CreatedAt   sqldb.Stamp `db:"created_at,once"`
	UpdatedAt   sqldb.Stamp `db:"updated_at"`
}

// documentColumns are those of userdata.DocumentFields, in the same order.
type documentColumns struct {
	Title string `db:"title"`
	Body  string `db:"body"`
}

var (
	documentTable  = sqldb.NewTable[documentRow]("documents")
	documentUpdate = documentTable.Update() + " AND deleted_at IS NULL"
	liveDocuments  = "SELECT " + documentTable.Columns() + " FROM documents WHERE workspace_id = $1 AND deleted_at IS NULL"
)

func documentRowOf(workspace string, d *userdata.Document) documentRow {
	return documentRow{
		WorkspaceID: workspace, ID: d.ID, Key: d.Key, documentColumns: documentColumns(d.DocumentFields), Published: d.Published,
		Version: d.Version, PublishedAt: sqldb.AtPtr(d.PublishedAt), CreatedAt: sqldb.At(d.CreatedAt), UpdatedAt: sqldb.At(d.UpdatedAt),
		trustColumns: trustOf(d.Trust),
	}
}

func (r *documentRow) document() userdata.Document {
	return userdata.Document{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Key: r.Key, DocumentFields: userdata.DocumentFields(r.documentColumns),
		Published: r.Published, PublishedAt: r.PublishedAt.Ptr(),
		Version: r.Version, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, Trust: r.record(),
	}
}

// Documents lists the documents by key.
func (d *Data) Documents(ctx context.Context) ([]userdata.Document, error) {
	var rows []documentRow
	if err := d.r.All(ctx, &rows, liveDocuments+" ORDER BY key", d.workspace); err != nil {
		return nil, fmt.Errorf("list the documents: %w", err)
	}
	return transaction.Values(rows, (*documentRow).document), nil
}

// DocumentsPage lists a page of the documents by key. The second result is the cursor of the next
// page, "" at the end.
func (d *Data) DocumentsPage(ctx context.Context, cursor string, limit int) ([]userdata.Document, string, error) {
	after, err := sqldb.ReadCursor(cursor, domain.PrefixDocument)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+documentTable.Columns()+" FROM documents WHERE workspace_id = ? AND deleted_at IS NULL "+
		"AND key > ? ORDER BY key",
		d.workspace, after.Name)
	rows, next, err := sqldb.ReadPage(ctx, d.r, q, limit, func(r *documentRow) sqldb.Cursor { return sqldb.Cursor{Name: r.Key, ID: r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the documents: %w", err)
	}
	return transaction.Values(rows, (*documentRow).document), next, nil
}

// Document returns the document with a key.
func (d *Data) Document(ctx context.Context, key string) (*userdata.Document, error) {
	return one(ctx, d, "document", liveDocuments+" AND key = $2", key, (*documentRow).document)
}

// DocumentByID returns the document with an id.
func (d *Data) DocumentByID(ctx context.Context, id string) (*userdata.Document, error) {
	return one(ctx, d, "document", liveDocuments+" AND id = $2", id, (*documentRow).document)
}

// PutDocument stores a document and increments its version: version 0 inserts, any other updates if
// it matches.
func (d *Data) PutDocument(ctx context.Context, doc *userdata.Document) error {
	row := documentRowOf(d.workspace, doc)
	if doc.Version > 0 {
		n, err := d.exec(ctx, documentUpdate, documentTable.Updated(&row)...)
		if err := updated(ctx, d, n, err, "documents", "document", doc.ID, &doc.Version); err != nil {
			return err
		}
		return d.index().document(ctx, doc)
	}
	if err := documentCeiling.Room(ctx, d.r, d.workspace); err != nil {
		return err
	}
	row.Version = 1
	if err := d.insert(ctx, documentTable.Rows(row)); err != nil {
		return fmt.Errorf("insert the document: %w", err)
	}
	doc.WorkspaceID, doc.Version = d.workspace, 1
	return d.index().document(ctx, doc)
}

// DeleteDocument deletes a document.
func (d *Data) DeleteDocument(ctx context.Context, id string, at time.Time) error {
	if err := deleted(ctx, d, "documents", "document", id, at); err != nil {
		return err
	}
	return d.index().drop(ctx, "id = $2", id)
}

// KeepDocumentVersion stores the version that a document has just published.
func (d *Data) KeepDocumentVersion(ctx context.Context, document string, v *userdata.DocumentVersion) error {
	err := d.insert(ctx, documentVersionTable.Rows(documentVersionRow{
		WorkspaceID: d.workspace, DocumentID: document, Version: v.Version, Title: v.Title, Body: v.Body,
		PublishedAt: sqldb.At(v.PublishedAt), AuthorID: v.AuthorID, AuthorName: v.AuthorName, SessionID: v.SessionID,
	}))
	if err != nil {
		return fmt.Errorf("keep the published version: %w", err)
	}
	return nil
}

type documentVersionRow struct {
	WorkspaceID string      `db:"workspace_id,write"`
	DocumentID  string      `db:"document_id,write"`
	Version     int64       `db:"version"`
	Title       string      `db:"title"`
	Body        string      `db:"body"`
	PublishedAt sqldb.Stamp `db:"published_at"`
	AuthorID    string      `db:"author_id"`
	AuthorName  string      `db:"author_name"`
	SessionID   string      `db:"session_id"`
}

var documentVersionTable = sqldb.NewTable[documentVersionRow]("document_versions")

func (r *documentVersionRow) version() userdata.DocumentVersion {
	return userdata.DocumentVersion{
		Version: r.Version, Title: r.Title, Body: r.Body, PublishedAt: r.PublishedAt.Time,
		AuthorID: r.AuthorID, AuthorName: r.AuthorName, SessionID: r.SessionID,
	}
}

// DocumentVersions lists a page of a document's published versions, latest first and without their
// texts. The second result is the cursor of the next page, "" at the end.
func (d *Data) DocumentVersions(ctx context.Context, id, cursor string, limit int) ([]userdata.DocumentVersion, string, error) {
	of := "versions_of_" + id // distinguishes the cursor from those of the list of documents, which hold the id alone
	after, err := sqldb.ReadCursor(cursor, of)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT version, title, '' AS body, published_at, author_id, author_name, session_id FROM document_versions WHERE workspace_id = ? "+
		"AND document_id = ?", d.workspace, id)
	if cursor != "" {
		q.Add(" AND version < ?", after.Number)
	}
	q.Add(" ORDER BY version DESC")
	rows, next, err := sqldb.ReadPage(ctx, d.r, q, limit,
		func(r *documentVersionRow) sqldb.Cursor { return sqldb.Cursor{Number: r.Version, ID: of} })
	if err != nil {
		return nil, "", fmt.Errorf("list the published versions: %w", err)
	}
	return transaction.Values(rows, (*documentVersionRow).version), next, nil
}

// DocumentVersion returns one published version with its text.
func (d *Data) DocumentVersion(ctx context.Context, id string, version int64) (*userdata.DocumentVersion, error) {
	var row documentVersionRow
	err := d.r.Get(ctx, &row, "SELECT "+documentVersionTable.Columns()+" FROM document_versions WHERE workspace_id = $1 "+
		"AND document_id = $2 AND version = $3",
		d.workspace, id, version)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("published version")
	}
	if err != nil {
		return nil, fmt.Errorf("read the published version: %w", err)
	}
	v := row.version()
	return &v, nil
}
