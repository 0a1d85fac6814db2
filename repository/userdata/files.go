package userdata

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// FileStore stores uploads.
type FileStore struct{ db *transaction.DB }

// NewFileStore makes the store of uploads.
func NewFileStore(db *transaction.DB) *FileStore { return &FileStore{db} }

// fileChunk is how many bytes of a content a row holds, which limits the memory that a driver, a
// backup or a slow reader needs at a time.
const fileChunk = 1 << 20

type fileRow struct {
	WorkspaceID  string      `db:"workspace_id,key"`
	ID           string      `db:"id,key"`
	Name         string      `db:"name"`
	MediaType    string      `db:"media_type"`
	SHA256       string      `db:"sha256"`
	Bytes        int64       `db:"bytes"`
	Width        int         `db:"width"`
	Height       int         `db:"height"`
	CreatedBy    string      `db:"created_by"`
	CreatedAt    sqldb.Stamp `db:"created_at,once"`
	CollectAfter sqldb.Stamp `db:"collect_after"`
}

type fileContentRow struct {
	WorkspaceID  string      `db:"workspace_id,key"`
	SHA256       string      `db:"sha256,key"`
	Bytes        int64       `db:"bytes"`
	CollectAfter sqldb.Stamp `db:"collect_after"`
}

type fileChunkRow struct {
	WorkspaceID string `db:"workspace_id,key"`
	SHA256      string `db:"sha256,key"`
	Number      int    `db:"number,key"`
	Data        []byte `db:"data"`
}

// FileFigures returns the number of files in all workspaces and the bytes of their contents.
func (s *FileStore) FileFigures(ctx context.Context) (files, bytes int64, err error) {
	var row struct {
		Files int64 `db:"files"`
		Bytes int64 `db:"bytes"`
	}
	err = s.db.Get(ctx, &row, "SELECT (SELECT count(*) FROM files) AS files, "+
		"(SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM file_contents) AS bytes")
	if err != nil {
		return 0, 0, fmt.Errorf("count the files: %w", err)
	}
	return row.Files, row.Bytes, nil
}

var (
	fileTable        = sqldb.NewTable[fileRow]("files")
	fileContentTable = sqldb.NewTable[fileContentRow]("file_contents")
	fileChunkTable   = sqldb.NewTable[fileChunkRow]("file_chunks")
)

func (r *fileRow) file() (*userdata.File, error) {
	return &userdata.File{
		FileRef: domain.FileRef{
			ID: r.ID, Name: r.Name, MediaType: r.MediaType, Bytes: r.Bytes, SHA256: r.SHA256, Width: r.Width, Height: r.Height,
		},
		WorkspaceID: r.WorkspaceID, CreatedBy: r.CreatedBy, CreatedAt: r.CreatedAt.Time,
	}, nil
}

// InsertFile stores a file, and its content unless the workspace has it already, if neither exceeds
// the budget. It returns domain.ErrStale if the content existed and has just been collected.
func (s *FileStore) InsertFile(ctx context.Context, f *userdata.File, content []byte, most domain.FileBudget) error {
	later := sqldb.At(s.db.Clock().Add(userdata.UnusedFileFor))
	return s.db.WriteUnseen(ctx, f.WorkspaceID, func(t *transaction.Tx) error {
		// The content first: the long write must not block others of the workspace.
		if err := insertContent(ctx, t, f, content, later); err != nil {
			return err
		}
		if _, err := transaction.WorkspaceIn(ctx, t, f.WorkspaceID, s.db.Dialect.Lock); err != nil {
			return err
		}
		if err := roomForFile(ctx, t, f.WorkspaceID, most); err != nil {
			return err
		}
		t.Created = f.ID
		_, err := t.Insert(ctx, fileTable.Rows(fileRow{
			WorkspaceID: f.WorkspaceID, ID: f.ID, Name: f.Name, MediaType: f.MediaType, SHA256: f.SHA256, Bytes: f.Bytes,
			Width: f.Width, Height: f.Height, CreatedBy: f.CreatedBy, CreatedAt: sqldb.At(f.CreatedAt), CollectAfter: later,
		}), "")
		return err
	})
}

func insertContent(ctx context.Context, t *transaction.Tx, f *userdata.File, content []byte, later sqldb.Stamp) error {
	n, err := t.Insert(ctx, fileContentTable.Rows(fileContentRow{
		WorkspaceID: f.WorkspaceID, SHA256: f.SHA256, Bytes: f.Bytes, CollectAfter: later,
	}), " ON CONFLICT (workspace_id, sha256) DO NOTHING")
	if err != nil {
		return err
	}
	if n == 0 {
		return t.WriteOne(ctx, domain.ErrStale, "UPDATE file_contents SET collect_after = $3 WHERE workspace_id = $1 AND sha256 = $2",
			f.WorkspaceID, f.SHA256, later)
	}
	for number := 0; number*fileChunk < len(content); number++ {
		piece := content[number*fileChunk : min((number+1)*fileChunk, len(content))]
		_, err := t.Insert(ctx, fileChunkTable.Rows(fileChunkRow{
			WorkspaceID: f.WorkspaceID, SHA256: f.SHA256, Number: number, Data: piece,
		}), "")
		if err != nil {
			return err
		}
	}
	return nil
}

// roomForFile returns an error if the budget is exceeded, under the workspace's lock. The file's
// content is already included.
func roomForFile(ctx context.Context, r sqldb.Reader, workspace string, most domain.FileBudget) error {
	var have struct {
		Files int64 `db:"files"`
		Bytes int64 `db:"bytes"`
	}
	err := r.Get(ctx, &have, "SELECT (SELECT COUNT(*) FROM files WHERE workspace_id = $1) AS files, "+
		"(SELECT COALESCE(SUM(bytes), 0) FROM file_contents WHERE workspace_id = $1) AS bytes", workspace)
	switch {
	case err != nil:
		return fmt.Errorf("count the files: %w", err)
	case have.Files >= most.Count:
		return domain.Errorf(userdata.CodeFilesFull, "The workspace has %d files, and may have %d (file_budget). Nothing was stored: "+
			"delete some; those that no message refers to go by themselves after a day.", have.Files, most.Count)
	case have.Bytes > most.Bytes:
		return domain.Errorf(userdata.CodeFilesFull, "With this file the workspace would have %d bytes of files, and may have %d (file_budget). "+
			"Nothing was stored: delete some; those that no message refers to go by themselves after a day.", have.Bytes, most.Bytes)
	}
	return nil
}

// File returns the metadata of a file.
func (s *FileStore) File(ctx context.Context, workspace, id string) (*userdata.File, error) {
	return fileIn(ctx, s.db, workspace, id)
}

func fileIn(ctx context.Context, r sqldb.Reader, workspace, id string) (*userdata.File, error) {
	var row fileRow
	err := r.Get(ctx, &row, "SELECT "+fileTable.Columns()+" FROM files WHERE workspace_id = $1 AND id = $2", workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("file")
	}
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	return row.file()
}

// Files lists the files of a workspace, newest first.
func (s *FileStore) Files(ctx context.Context, workspace, cursor string, limit int) ([]*userdata.File, string, error) {
	before, err := sqldb.ReadCursor(cursor, domain.PrefixFile)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+fileTable.Columns()+" FROM files WHERE workspace_id = ?", workspace)
	if cursor != "" {
		q.Add(" AND (created_at, id) < (?, ?)", before.Number, before.ID)
	}
	q.Add(" ORDER BY created_at DESC, id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit, func(r *fileRow) sqldb.Cursor { return sqldb.TimeCursor(r.CreatedAt, r.ID) })
	if err != nil {
		return nil, "", fmt.Errorf("list the files: %w", err)
	}
	files, err := transaction.Each(rows, (*fileRow).file)
	return files, next, err
}

// FileContent returns the content of a file.
func (s *FileStore) FileContent(ctx context.Context, workspace, id string) ([]byte, error) {
	var chunks [][]byte
	err := s.db.All(ctx, &chunks, "SELECT c.data FROM files f JOIN file_chunks c ON c.workspace_id = f.workspace_id AND c.sha256 = f.sha256 "+
		"WHERE f.workspace_id = $1 AND f.id = $2 ORDER BY c.number", workspace, id)
	if err != nil {
		return nil, fmt.Errorf("read the content of a file: %w", err)
	}
	if len(chunks) == 0 {
		_, err := s.File(ctx, workspace, id) // empty content, or no such file
		return nil, err
	}
	whole := make([]byte, 0, len(chunks)*fileChunk)
	for _, c := range chunks {
		whole = append(whole, c...)
	}
	return whole, nil
}

// DeleteFile deletes a file, and its content if no other file has it. Messages that refer to the
// file keep its name.
func (s *FileStore) DeleteFile(ctx context.Context, workspace, id string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		f, err := fileIn(ctx, t, workspace, id)
		if err != nil {
			return err
		}
		// A concurrent upload of the same content has locked it too: either its reference is seen
		// below, or it finds the content deleted.
		err = t.WriteOne(ctx, domain.NotFound("file"), "UPDATE file_contents SET collect_after = collect_after "+
			"WHERE workspace_id = $1 AND sha256 = $2", workspace, f.SHA256)
		if err != nil {
			return err
		}
		err = t.WriteOne(ctx, domain.NotFound("file"), "DELETE FROM files WHERE workspace_id = $1 AND id = $2", workspace, id)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "DELETE FROM file_contents WHERE workspace_id = $1 AND sha256 = $2 AND NOT EXISTS "+
			"(SELECT 1 FROM files f WHERE f.workspace_id = $1 AND f.sha256 = $2)", workspace, f.SHA256)
		return err
	})
}

// FilesPresent reports which of these files exist.
func (s *FileStore) FilesPresent(ctx context.Context, workspace string, ids []string) (map[string]bool, error) {
	present := map[string]bool{}
	for ; len(ids) > 0; ids = ids[min(len(ids), presentAtOnce):] {
		condition, args := sqldb.InList(2, ids[:min(len(ids), presentAtOnce)])
		var found []string
		err := s.db.All(ctx, &found, "SELECT id FROM files WHERE workspace_id = $1 AND id "+condition, append([]any{workspace}, args...)...)
		if err != nil {
			return nil, fmt.Errorf("look for files: %w", err)
		}
		for _, id := range found {
			present[id] = true
		}
	}
	return present, nil
}

const presentAtOnce = 1000
