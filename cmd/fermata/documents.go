package main

import (
	"context"

	"github.com/fermata-dev/fermata/commands"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository"
)

func (s dataService) Documents(ctx context.Context, workspace string) ([]domain.Document, error) {
	return s.reader(workspace).Documents(ctx)
}

func (s dataService) Document(ctx context.Context, workspace, id string) (*domain.Document, error) {
	return document(ctx, s.reader(workspace), id)
}

// document finds a document by id; the data knows them by key.
func document(ctx context.Context, data *repository.Data, id string) (*domain.Document, error) {
	all, err := data.Documents(ctx)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i], nil
		}
	}
	return nil, domain.NotFound("document")
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
		have, err := document(ctx, data, id)
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
