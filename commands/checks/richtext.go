package checks

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// RichText resolves a person's message by the catalogue's rules.
type RichText struct{ Config }

// Resolve validates a message of a chat.
func (s RichText) Resolve(ctx context.Context, workspace string, segments []domain.Segment) (*domain.RichContent, error) {
	return s.resolve(ctx, workspace, domain.Chat, segments)
}

// ResolveSeed validates the first message of an automation; its periods stay relative.
func (s RichText) ResolveSeed(ctx context.Context, workspace string, segments []domain.Segment) (*domain.RichContent, error) {
	return s.resolve(ctx, workspace, domain.Seed, segments)
}

func (s RichText) resolve(ctx context.Context, workspace string, kind domain.SessionType,
	segments []domain.Segment) (*domain.RichContent, error) {
	segments, err := s.withFiles(ctx, workspace, kind, segments)
	if err != nil {
		return nil, err
	}
	w := &domain.Workspace{ID: workspace}
	for _, segment := range segments {
		if segment.Enrichment == nil {
			continue
		}
		// Only enrichments need the workspace's calendar and language.
		if w, err = s.Workspaces.Workspace(ctx, workspace); err != nil {
			return nil, err
		}
		break
	}
	env := commands.Env{Env: data.EnvOf(w, s.Clock(), s.NewID), SessionType: kind}
	rich, err := s.Catalogue.Enrichments(ctx, s.Data(workspace), env, segments)
	return &rich, err
}

// withFiles adds the metadata of the files that segments refer to.
func (s RichText) withFiles(ctx context.Context, workspace string, kind domain.SessionType,
	segments []domain.Segment) ([]domain.Segment, error) {
	var known []domain.Segment
	seen := map[string]bool{}
	for i, segment := range segments {
		if segment.File == nil {
			known = append(known, segment)
			continue
		}
		at := fmt.Sprintf("/segments/%d/file_id", i)
		id := segment.File.ID
		switch {
		case kind == domain.Seed:
			return nil, domain.Invalid(at, "not_allowed", "The first message of an automation cannot have files.")
		case seen[id]:
			continue
		case len(seen) == domain.MaxMessageFiles:
			return nil, domain.Invalid(at, "count", "A message can have at most %d files.", domain.MaxMessageFiles)
		}
		file, err := s.Files.File(ctx, workspace, id)
		if domain.ErrorCode(err) == domain.CodeNotFound {
			return nil, userdata.UnknownFile(at, id)
		}
		if err != nil {
			return nil, err
		}
		seen[id] = true
		known = append(known, domain.Segment{
			Type: domain.SegmentFile, File: &file.FileRef, From: domain.From(domain.OriginFile, file.Name),
		})
	}
	return known, nil
}
