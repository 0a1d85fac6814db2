package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
)

// Documents are a page of the documents.
func (s *Service) Documents(ctx context.Context, workspace, cursor string, limit int) ([]userdata.Document, string, error) {
	return s.repository.Read(workspace).DocumentsPage(ctx, cursor, limit)
}

// Document is one of them.
func (s *Service) Document(ctx context.Context, workspace, id string) (*userdata.Document, error) {
	return s.repository.Read(workspace).DocumentByID(ctx, id)
}

// DocumentVersions are what a document has published, the latest first.
func (s *Service) DocumentVersions(ctx context.Context, workspace, id, cursor string,
	limit int) ([]userdata.DocumentVersion, string, error) {
	store := s.repository.Read(workspace)
	if _, err := store.DocumentByID(ctx, id); err != nil {
		return nil, "", err
	}
	return store.DocumentVersions(ctx, id, cursor, limit)
}

// DocumentVersion is one of these, with its text.
func (s *Service) DocumentVersion(ctx context.Context, workspace, id string, version int64) (*userdata.DocumentVersion, error) {
	store := s.repository.Read(workspace)
	if _, err := store.DocumentByID(ctx, id); err != nil {
		return nil, err
	}
	return store.DocumentVersion(ctx, id, version)
}

// CreateDocument adds a document, as a draft.
func (s *Service) CreateDocument(ctx context.Context, workspace string, in userdata.NewDocument) (*userdata.Document, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Document, []domain.DataChange, error) {
		return made(s.rules.CreateDocument(ctx, store, env, in))
	})
}

// UpdateDocument changes the draft of a document.
func (s *Service) UpdateDocument(ctx context.Context, workspace, id string, version int64,
	patch userdata.DocumentPatch) (*userdata.Document, int64, error) {
	return change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *userdata.Document) ([]domain.DataChange, error) {
			return one(s.rules.UpdateDocument(ctx, store, env, doc, patch))
		})
}

// PublishDocument makes the draft of a document the text that sessions read.
func (s *Service) PublishDocument(ctx context.Context, workspace, id string, version int64, by domain.Author) (
	*userdata.Document, int64, error,
) {
	return change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *userdata.Document) ([]domain.DataChange, error) {
			env.Author = by
			return one(s.rules.PublishDocument(ctx, store, env, doc))
		})
}

// DeleteDocument deletes a document.
func (s *Service) DeleteDocument(ctx context.Context, workspace, id string, version int64) (int64, error) {
	_, seq, err := change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *userdata.Document) ([]domain.DataChange, error) {
			return one(s.rules.DeleteDocument(ctx, store, env, doc))
		})
	return seq, err
}

// RestoreDocument undoes the deletion of a document.
func (s *Service) RestoreDocument(ctx context.Context, workspace, id string) (*userdata.Document, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*userdata.Document, []domain.DataChange, error) {
		return s.rules.RestoreDocument(ctx, store, env, id)
	})
}
