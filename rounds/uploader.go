package rounds

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/fermata-dev/fermata/domain"
)

// Files takes what messages bring as it takes what is uploaded.
type Files interface {
	Upload(ctx context.Context, ws, by, name string, content []byte) (*domain.File, error)
	DeleteFile(ctx context.Context, ws, id string) error
	// Resolve makes segments what is stored: those of files name them by their ids.
	Resolve(ctx context.Context, ws string, segments []domain.Segment) (*domain.RichContent, error)
}

// Keeper stores the files that one request brings, each once however often the request is tried.
type Uploader struct {
	Files     Files
	Workspace string
	By        string

	ids      map[string]string // what there is a file for
	uploaded []string
}

// Know spares what is in a record from being stored again.
func (k *Uploader) Reuse(record []*domain.Message) {
	for _, m := range record {
		for _, f := range m.Rich.Files() {
			if f.SentSHA256 != "" {
				k.remember((&Attachment{Sum: f.SentSHA256, Name: f.Name}).Key(), f.ID)
			}
		}
	}
}

func (k *Uploader) remember(key, id string) {
	if k.ids == nil {
		k.ids = map[string]string{}
	}
	k.ids[key] = id
}

// Rich is what a client says as it is stored. Without files it asks nobody.
func (k *Uploader) Content(ctx context.Context, pieces []Piece) (domain.RichContent, error) {
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

// id is the file that there is for what was sent, after it was stored where there was none.
func (k *Uploader) fileID(ctx context.Context, f *Attachment) (string, error) {
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

// Drop deletes what was stored for a message that turned out to be there: somebody else who
// sent the same was faster. What stays because of a crash goes after a day, as every file does
// that no message refers to.
func (k *Uploader) Discard(ctx context.Context) {
	for _, id := range k.uploaded {
		_ = k.Files.DeleteFile(ctx, k.Workspace, id) // else it goes after a day
	}
	k.uploaded = nil
}
