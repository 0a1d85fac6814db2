package app

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

func (s dataService) Documents(ctx context.Context, workspace, cursor string, limit int) ([]domain.Document, string, error) {
	return s.reader(workspace).DocumentsPage(ctx, cursor, limit)
}

func (s dataService) Document(ctx context.Context, workspace, id string) (*domain.Document, error) {
	return s.reader(workspace).DocumentByID(ctx, id)
}

func (s dataService) DocumentVersions(ctx context.Context, workspace, id, cursor string, limit int) ([]domain.DocumentVersion, string, error) {
	if _, err := s.Document(ctx, workspace, id); err != nil {
		return nil, "", err
	}
	return s.reader(workspace).DocumentVersions(ctx, id, cursor, limit)
}

func (s dataService) DocumentVersion(ctx context.Context, workspace, id string, version int64) (*domain.DocumentVersion, error) {
	if _, err := s.Document(ctx, workspace, id); err != nil {
		return nil, err
	}
	return s.reader(workspace).DocumentVersion(ctx, id, version)
}

func (s dataService) CreateDocument(ctx context.Context, workspace string, doc *domain.Document) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		if _, err := data.Document(ctx, doc.Key); err == nil {
			return nil, domain.Errorf(domain.CodeConflict, "There is a document with the key %q already. Nothing was changed.", doc.Key)
		}
		title := &doc.Title
		if doc.Title == "" {
			title = nil
		}
		made, change, err := s.app.catalogue.EditDocument(ctx, data, env, doc.Key, commands.DocumentPatch{Title: title, Body: &doc.Body})
		if err == nil {
			*doc = *made
		}
		return one(change, err)
	})
}

// onDocument runs a rule on a document found by id, if its version is the wanted one.
func (s dataService) onDocument(ctx context.Context, workspace, id string, version int64, rule func(context.Context, *repository.Data, commands.Env, *domain.Document) ([]domain.DataChange, error)) (int64, error) {
	return s.write(ctx, workspace, func(ctx context.Context, data *repository.Data, env commands.Env) ([]domain.DataChange, error) {
		have, err := data.DocumentByID(ctx, id)
		if err != nil {
			return nil, err
		}
		if err := checkVersion(version, have.Version, "document"); err != nil {
			return nil, err
		}
		return rule(ctx, data, env, have)
	})
}

func (s dataService) UpdateDocument(ctx context.Context, workspace, id string, version int64, change func(*domain.Document) error) (*domain.Document, int64, error) {
	var doc *domain.Document
	seq, err := s.onDocument(ctx, workspace, id, version, func(ctx context.Context, data *repository.Data, env commands.Env, have *domain.Document) ([]domain.DataChange, error) {
		want := *have
		if err := change(&want); err != nil {
			return nil, err
		}
		var done domain.DataChange
		var err error
		doc, done, err = s.app.catalogue.EditDocument(ctx, data, env, have.Key, commands.DocumentPatch{Title: &want.Title, Body: &want.Body})
		return one(done, err)
	})
	return doc, seq, err
}

func (s dataService) PublishDocument(ctx context.Context, workspace, id string, version int64) (*domain.Document, int64, error) {
	var doc *domain.Document
	seq, err := s.onDocument(ctx, workspace, id, version, func(ctx context.Context, data *repository.Data, env commands.Env, have *domain.Document) ([]domain.DataChange, error) {
		var done domain.DataChange
		var err error
		doc, done, err = s.app.catalogue.PublishDocument(ctx, data, env, have.Key)
		return one(done, err)
	})
	return doc, seq, err
}

func (s dataService) DeleteDocument(ctx context.Context, workspace, id string, version int64) (int64, error) {
	return s.onDocument(ctx, workspace, id, version, func(ctx context.Context, data *repository.Data, env commands.Env, have *domain.Document) ([]domain.DataChange, error) {
		if err := data.DeleteDocument(ctx, have.ID, env.Now); err != nil {
			return nil, err
		}
		return []domain.DataChange{{Noun: "document", ID: have.ID, Operation: "deleted", Count: 1}}, nil
	})
}
