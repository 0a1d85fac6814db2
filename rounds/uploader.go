package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Files stores the attachments of messages like uploads.
type Files interface {
	Upload(ctx context.Context, ws, by, name string, content []byte) (*userdata.File, error)
	DeleteFile(ctx context.Context, ws, id string) error
	// Resolve returns the content to store for segments that refer to files by their ids.
	Resolve(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)
}

// uploader stores the attachments of one request, each once however often the request is retried.
type uploader struct {
	Files     Files
	Workspace string
	By        string

	ids      map[string]string // of files, by the key of their attachment
	uploaded []string
}

// Reuse registers the files of stored messages, so that equal attachments are not stored again.
func (k *uploader) Reuse(record []*domain.Message) {
	for _, m := range record {
		for _, f := range m.Rich.Files() {
			if f.SentSHA256 != "" {
				k.remember((&Attachment{Sum: f.SentSHA256, Name: f.Name}).Key(), f.ID)
			}
		}
	}
}

func (k *uploader) remember(key, id string) {
	if k.ids == nil {
		k.ids = map[string]string{}
	}
	k.ids[key] = id
}

// Content returns the content of a message to store. Without attachments it makes no calls.
func (k *uploader) Content(ctx context.Context, pieces []Piece) (domain.RichContent, error) {
	files := Attachments(pieces)
	if len(files) == 0 {
		text := TextOf(pieces)
		rich := domain.RichContent{LinearText: text}
		for _, p := range pieces {
			rich.Segments = append(rich.Segments, domain.Segment{Type: domain.SegmentText, Text: p.Text})
		}
		return rich, nil
	}
	if len(files) > domain.MaxMessageFiles {
		at := files[domain.MaxMessageFiles].Pointer
		return domain.RichContent{}, domain.Invalid(at, "count", "A message has at most %d files.", domain.MaxMessageFiles)
	}
	segments, at := make([]domain.Segment, 0, len(pieces)), make([]string, 0, len(pieces))
	sums := map[string]string{}
	for _, p := range pieces {
		if p.File == nil {
			segments, at = append(segments, domain.Segment{Type: domain.SegmentText, Text: p.Text}), append(at, "")
			continue
		}
		id, err := k.fileID(ctx, p.File)
		if err != nil {
			return domain.RichContent{}, err
		}
		sums[id] = p.File.Sum
		segments, at = append(segments, domain.Segment{Type: domain.SegmentFile, File: &domain.FileRef{ID: id}}), append(at, p.File.Pointer)
	}
	rich, err := k.Files.Resolve(ctx, k.Workspace, segments)
	if err != nil {
		return domain.RichContent{}, domain.MovePointers(err, func(pointer string) string {
			var i int
			if n, _ := fmt.Sscanf(pointer, "/segments/%d/", &i); n == 1 && i < len(at) && at[i] != "" {
				return at[i]
			}
			return pointer
		})
	}
	for _, f := range rich.Files() {
		f.SentSHA256 = sums[f.ID]
	}
	return *rich, nil
}

// fileID returns the id of the file for an attachment, and uploads it if there is none.
func (k *uploader) fileID(ctx context.Context, f *Attachment) (string, error) {
	if f.ID != "" {
		return f.ID, nil
	}
	if id, ok := k.ids[f.Key()]; ok {
		return id, nil
	}
	content, err := io.ReadAll(f.reader())
	if err != nil {
		return "", errNotBase64(f.Pointer)
	}
	file, err := k.Files.Upload(ctx, k.Workspace, k.By, f.Name, content)
	if invalid, ok := errors.AsType[*domain.Error](err); ok {
		return "", atPointer(f.Pointer, invalid)
	}
	if err != nil {
		return "", err
	}
	k.uploaded = append(k.uploaded, file.ID)
	k.remember(f.Key(), file.ID)
	return file.ID, nil
}

// Discard deletes the files that were stored for a message which turned out to be stored already by
// a concurrent identical request. After a crash, unreferenced files are deleted after a day.
func (k *uploader) Discard(ctx context.Context) {
	for _, id := range k.uploaded {
		_ = k.Files.DeleteFile(ctx, k.Workspace, id) // otherwise it is deleted after a day
	}
	k.uploaded = nil
}
