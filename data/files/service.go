package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/picture"
)

// Store keeps files, and what they hold once for a workspace and hash.
type Store interface {
	// InsertFile gives domain.ErrStale where it should be tried again.
	InsertFile(ctx context.Context, f *userdata.File, content []byte, most domain.FileBudget) error
	File(ctx context.Context, workspace, id string) (*userdata.File, error)
	Files(ctx context.Context, workspace, cursor string, limit int) ([]*userdata.File, string, error)
	FileContent(ctx context.Context, workspace, id string) ([]byte, error)
	DeleteFile(ctx context.Context, workspace, id string) error
}

// Workspaces reads what a workspace may have.
type Workspaces interface {
	Workspace(ctx context.Context, id string) (*domain.Workspace, error)
}

// Service takes and gives files.
type Service struct {
	Store
	workspaces Workspaces
	pictures   *picture.Reader
	clock      clock.Clock
	newID      domain.IDSource
	// spend is asked before so many pixels are decoded for the caller of the context.
	spend func(ctx context.Context, pixels int64) error
}

// NewService makes a Service.
func NewService(store Store, workspaces Workspaces, clock clock.Clock, newID domain.IDSource,
	spend func(ctx context.Context, pixels int64) error,
) *Service {
	return &Service{Store: store, workspaces: workspaces, pictures: picture.NewReader(), clock: clock, newID: newID, spend: spend}
}

// maxTries is how often a file is stored whose content is collected at the very moment.
const maxTries = 4

// Upload stores a file.
func (s *Service) Upload(ctx context.Context, workspace, by, name string, content []byte) (*userdata.File, error) {
	if len(content) > userdata.MaxFileBytes {
		return nil, domain.Errorf(domain.CodeTooLarge, "The file is larger than %d bytes. Nothing was stored.", userdata.MaxFileBytes)
	}
	if len(content) == 0 { // an empty picture would become an empty text
		return nil, domain.Errorf(userdata.CodeUnreadableFile, "The file is empty. Nothing was stored.")
	}
	w, err := s.workspaces.Workspace(ctx, workspace)
	if err != nil {
		return nil, err
	}
	f := &userdata.File{
		FileRef:     domain.FileRef{ID: s.newID(domain.PrefixFile), Name: userdata.FileName(name)},
		WorkspaceID: workspace, CreatedBy: by, CreatedAt: s.clock(),
	}
	if content, err = s.read(ctx, f, content); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	f.SHA256, f.Bytes = hex.EncodeToString(sum[:]), int64(len(content))
	for range maxTries {
		err = s.InsertFile(ctx, f, content, w.Settings.FileBudget)
		if !errors.Is(err, domain.ErrStale) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// read finds what a file is by its content, and gives the content as it is kept.
func (s *Service) read(ctx context.Context, f *userdata.File, content []byte) ([]byte, error) {
	if picture.Format(content) == "" {
		f.MediaType = userdata.MediaText
		return plainText(content)
	}
	p, err := s.pictures.Read(ctx, f.WorkspaceID, content, func(pixels int64) error { return s.spend(ctx, pixels) })
	switch {
	case errors.Is(err, picture.ErrTooMany):
		return nil, domain.Errorf(userdata.CodeTooManyPixels, "%s", sentence(err))
	case errors.Is(err, picture.ErrDamaged):
		return nil, &domain.Error{
			Code: userdata.CodeUnreadableFile, Message: "The picture is damaged, or cut off. Nothing was stored.", Err: err,
		}
	case err != nil:
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	f.MediaType, f.Width, f.Height = p.MediaType, p.Width, p.Height
	return p.Data, nil
}
