package data

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// Documents are a page of the documents.
func (s *Service) Documents(ctx context.Context, workspace, cursor string, limit int) ([]domain.Document, string, error) {
	return s.repository.Read(workspace).DocumentsPage(ctx, cursor, limit)
}

// Document is one of them.
func (s *Service) Document(ctx context.Context, workspace, id string) (*domain.Document, error) {
	return s.repository.Read(workspace).DocumentByID(ctx, id)
}

// DocumentVersions are what a document has published, the latest first.
func (s *Service) DocumentVersions(ctx context.Context, workspace, id, cursor string, limit int) ([]domain.DocumentVersion, string, error) {
	store := s.repository.Read(workspace)
	if _, err := store.DocumentByID(ctx, id); err != nil {
		return nil, "", err
	}
	return store.DocumentVersions(ctx, id, cursor, limit)
}

// DocumentVersion is one of these, with its text.
func (s *Service) DocumentVersion(ctx context.Context, workspace, id string, version int64) (*domain.DocumentVersion, error) {
	store := s.repository.Read(workspace)
	if _, err := store.DocumentByID(ctx, id); err != nil {
		return nil, err
	}
	return store.DocumentVersion(ctx, id, version)
}

// CreateDocument adds a document, as a draft.
func (s *Service) CreateDocument(ctx context.Context, workspace string, in domain.NewDocument) (*domain.Document, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*domain.Document, []domain.DataChange, error) {
		return made(s.rules.CreateDocument(ctx, store, env, in))
	})
}

// UpdateDocument changes the draft of a document.
func (s *Service) UpdateDocument(ctx context.Context, workspace, id string, version int64,
	patch domain.DocumentPatch) (*domain.Document, int64, error) {
	return change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *domain.Document) ([]domain.DataChange, error) {
			return one(s.rules.UpdateDocument(ctx, store, env, doc, patch))
		})
}

// PublishDocument makes the draft of a document the text that sessions read.
func (s *Service) PublishDocument(ctx context.Context, workspace, id string, version int64, by domain.Author) (
	*domain.Document, int64, error,
) {
	return change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *domain.Document) ([]domain.DataChange, error) {
			env.Author = by
			return one(s.rules.PublishDocument(ctx, store, env, doc))
		})
}

// DeleteDocument deletes a document.
func (s *Service) DeleteDocument(ctx context.Context, workspace, id string, version int64) (int64, error) {
	_, seq, err := change(ctx, s, aDocument, ref{workspace, id, version},
		func(ctx context.Context, store Store, env Env, doc *domain.Document) ([]domain.DataChange, error) {
			return one(s.rules.DeleteDocument(ctx, store, env, doc))
		})
	return seq, err
}

// RestoreDocument undoes the deletion of a document.
func (s *Service) RestoreDocument(ctx context.Context, workspace, id string) (*domain.Document, int64, error) {
	return write(ctx, s, workspace, func(ctx context.Context, store Store, env Env) (*domain.Document, []domain.DataChange, error) {
		return s.rules.RestoreDocument(ctx, store, env, id)
	})
}
