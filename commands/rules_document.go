package commands

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/fermata-dev/fermata/domain"
)

// DocumentPatch edits a document's draft. Nil: unchanged. Version, if set, is the one
// that its author saw (0: it must not exist yet).
type DocumentPatch struct {
	Title   *string
	Body    *string
	Version *int64
}

var documentKey = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,99}$`)

// EditDocument edits the draft of the document with this key, or makes the document.
// What sessions read is the published text.
func (c *Catalogue) EditDocument(ctx context.Context, data DocumentData, env Env, key string, p DocumentPatch) (*domain.Document, domain.DataChange, error) {
	none := domain.DataChange{}
	doc, err := data.Document(ctx, key)
	operation := "updated"
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound && err != nil:
		if !documentKey.MatchString(key) {
			return nil, none, domain.Invalid("/key", "format", "A key is a to z, 0 to 9, dots, - and _, with at most 100 characters.")
		}
		doc = &domain.Document{ID: env.NewID(domain.PrefixDocument), WorkspaceID: env.WorkspaceID, Key: key, Title: key, CreatedAt: env.Now}
		operation = "created"
	case err != nil:
		return nil, none, fmt.Errorf("read the document: %w", err)
	}
	if err := checkVersion(p.Version, doc.Version); err != nil {
		return nil, none, err
	}
	set(&doc.Title, p.Title)
	set(&doc.Body, p.Body)
	if err := firstError(checkName("/title", doc.Title), checkText("/body", doc.Body, maxBody)); err != nil {
		return nil, none, err
	}
	doc.UpdatedAt = env.Now
	if err := data.PutDocument(ctx, doc); err != nil {
		return nil, none, changedMeanwhile(err, "store the document")
	}
	return doc, env.change("document", doc.ID, operation), nil
}

// PublishDocument makes the draft of a document the text that sessions read.
func (c *Catalogue) PublishDocument(ctx context.Context, data DocumentData, env Env, key string) (*domain.Document, domain.DataChange, error) {
	doc, err := findDocument(ctx, data, key)
	if err != nil {
		return nil, domain.DataChange{}, err
	}
	if strings.TrimSpace(doc.Body) == "" && doc.Published == "" {
		return nil, domain.DataChange{}, domain.Invalid("/key", "empty", "The document %s is empty: there is nothing to publish.", quoted(key))
	}
	at := env.Now
	doc.Published, doc.PublishedAt, doc.UpdatedAt = doc.Body, &at, at
	if err := data.PutDocument(ctx, doc); err != nil {
		return nil, domain.DataChange{}, changedMeanwhile(err, "publish the document")
	}
	if err := data.KeepDocumentVersion(ctx, doc); err != nil {
		return nil, domain.DataChange{}, fmt.Errorf("keep what was published: %w", err)
	}
	return doc, env.change("document", doc.ID, "updated"), nil
}

// findDocument finds a document by key; the error for an unknown one lists the keys.
func findDocument(ctx context.Context, data DocumentData, key string) (*domain.Document, error) {
	doc, err := data.Document(ctx, key)
	if err == nil {
		return doc, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	docs, err := data.Documents(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	keys := make([]string, len(docs))
	for i, d := range docs {
		keys[i] = d.Key + " (" + d.Title + ")"
	}
	e := missing("/key", "document", key, keys)
	e.Message = strings.Replace(e.Message, "the id", "the key", 1)
	return nil, e
}
