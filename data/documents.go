package data

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

var documentKey = regexp.MustCompile(`^[a-z0-9][a-z0-9_.-]{0,99}$`)

// CreateDocument adds a document under a key that no other has.
func (r *Rules) CreateDocument(ctx context.Context, store Documents, env Env,
	in userdata.NewDocument) (*userdata.Document, domain.DataChange, error) {
	_, err := store.Document(ctx, in.Key)
	switch {
	case err == nil:
		return nil, domain.DataChange{}, domain.Errorf(domain.CodeConflict,
			"There is a document with the key %q already. Nothing was changed.", in.Key)
	case domain.ErrorCode(err) != domain.CodeNotFound:
		return nil, domain.DataChange{}, fmt.Errorf("read the document: %w", err)
	}
	in.Title = cmp.Or(in.Title, in.Key)
	return r.newDocument(ctx, store, env, in)
}

// WriteDocument edits the draft of the document with this key, or makes the document.
// What sessions read is the published text.
func (r *Rules) WriteDocument(ctx context.Context, store Documents, env Env, key string,
	p userdata.DocumentPatch) (*userdata.Document, domain.DataChange, error) {
	doc, err := store.Document(ctx, key)
	if domain.ErrorCode(err) == domain.CodeNotFound {
		in := userdata.NewDocument{Key: key, DocumentFields: userdata.DocumentFields{Title: key}}
		if err := p.Apply(&in.DocumentFields); err != nil {
			return nil, domain.DataChange{}, err
		}
		return r.newDocument(ctx, store, env, in)
	}
	if err != nil {
		return nil, domain.DataChange{}, fmt.Errorf("read the document: %w", err)
	}
	change, err := r.UpdateDocument(ctx, store, env, doc, p)
	return doc, change, err
}

func (r *Rules) newDocument(ctx context.Context, store Documents, env Env,
	in userdata.NewDocument) (*userdata.Document, domain.DataChange, error) {
	if !documentKey.MatchString(in.Key) {
		return nil, domain.DataChange{}, domain.Invalid(
			"/key",
			"format",
			"A key is a to z, 0 to 9, dots, - and _, with at most 100 characters.",
		)
	}
	doc := &userdata.Document{
		ID: env.NewID(domain.PrefixDocument), WorkspaceID: env.WorkspaceID, Key: in.Key, DocumentFields: in.DocumentFields,
		CreatedAt: env.Now, Trust: env.Writer.Created(in.DocumentFields),
	}
	if err := r.putDocument(ctx, store, env, doc); err != nil {
		return nil, domain.DataChange{}, err
	}
	return doc, env.change("document", doc.ID, "created"), nil
}

// UpdateDocument changes the draft of a document.
func (r *Rules) UpdateDocument(ctx context.Context, store Documents, env Env, doc *userdata.Document,
	p userdata.DocumentPatch) (domain.DataChange, error) {
	if err := p.Apply(&doc.DocumentFields); err != nil {
		return domain.DataChange{}, err
	}
	doc.Trust = env.Writer.Changed(doc.Trust, json.RawMessage(p))
	if err := r.putDocument(ctx, store, env, doc); err != nil {
		return domain.DataChange{}, err
	}
	return env.change("document", doc.ID, "updated"), nil
}

func (r *Rules) putDocument(ctx context.Context, store Documents, env Env, doc *userdata.Document) error {
	if err := firstError(checkName("/title", doc.Title), CheckText("/body", doc.Body, maxBody)); err != nil {
		return err
	}
	doc.UpdatedAt = env.Now
	if err := store.PutDocument(ctx, doc); err != nil {
		return changedMeanwhile(err, "store the document")
	}
	return nil
}

// PublishDocument makes the draft of a document the text that sessions read.
func (r *Rules) PublishDocument(ctx context.Context, store Documents, env Env, doc *userdata.Document) (domain.DataChange, error) {
	if strings.TrimSpace(doc.Body) == "" && doc.Published == "" {
		return domain.DataChange{}, domain.Invalid("/key", "empty",
			"The document %s is empty: there is nothing to publish.", jsonbody.Quote(doc.Key))
	}
	at := env.Now
	doc.Published, doc.PublishedAt, doc.UpdatedAt = doc.Body, &at, at
	doc.Trust = doc.Trust.Copied("body", "published_body")
	if err := store.PutDocument(ctx, doc); err != nil {
		return domain.DataChange{}, changedMeanwhile(err, "publish the document")
	}
	if err := store.KeepDocumentVersion(ctx, doc.ID, &userdata.DocumentVersion{
		Version: doc.Version, Title: doc.Title, Body: doc.Published, PublishedAt: at,
		AuthorID: env.Author.ID, AuthorName: env.Author.Name, SessionID: env.SessionID,
	}); err != nil {
		return domain.DataChange{}, fmt.Errorf("keep what was published: %w", err)
	}
	return env.change("document", doc.ID, "updated"), nil
}

// DeleteDocument deletes a document, with its draft.
func (r *Rules) DeleteDocument(ctx context.Context, store Documents, env Env, doc *userdata.Document) (domain.DataChange, error) {
	if err := store.DeleteDocument(ctx, doc.ID, env.Now); err != nil {
		return domain.DataChange{}, err
	}
	return env.change("document", doc.ID, "deleted"), nil
}
