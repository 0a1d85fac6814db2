package commands

import (
	"cmp"
	"context"
	"fmt"
	"strconv"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

type contextParams struct {
	Key   string
	Patch userdata.DocumentPatch
}

func (p *contextParams) UnmarshalJSON(text []byte) (err error) {
	p.Key, p.Patch, err = mergepatch.IDAndPatch[userdata.DocumentFields](text, "key")
	return err
}

func typeActions() []*command {
	return []*command{newAction(
		"CREATE_TOOL_TYPE",
		domain.RoleAdmin,
		domain.EffectNonIdempotent,
		"Add a tool type, by schemas of its tools' config and of their entries' data.",
		`"id": {"type": "string", "description": "a-z, 0-9, - and _, at most 63 characters."}, "name": {"type": "string", "minLength": 1}, "description": {"type": "string"},
		"config_schema": {"type": "object", "description": "JSON Schema of type object."}, "entry_schema": {"type": "object", "description": "JSON Schema of type object."}`,
		func(_ context.Context, c *call, p userdata.NewToolType) (card, error) {
			return card{
				text:  domain.Say("Add the tool type %s", "Ajouter le type d’outil %s", nameText(p.Name)),
				after: jsonbody.EncodeGiven(p),
			}, nil
		},
		func(ctx context.Context, c *call, p userdata.NewToolType) (done, error) {
			t, change, err := c.rules().CreateToolType(ctx, c.store, c.env.Env, p)
			if err != nil {
				return done{}, err
			}
			return changed(t.ID, change,
				fmt.Sprintf("Created the tool type %s.", t.ID),
				domain.Say("Added the tool type %s", "Type d’outil %s ajouté", nameText(t.Name)))
		},
	).require("id", "name", "config_schema", "entry_schema").fixedTerms(func() terms { return terms{lasts: true} })}
}

// contextEdit is the name of the command that changes a document in places.
const contextEdit = "CONTEXT_EDIT"

const keyProperty = `"key": {"type": "string"}`

func documentActions() []*command {
	return []*command{
		newAction(
			"CONTEXT_UPDATE",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Write a document's whole draft; a new key makes a new one.",
			keyProperty+`, "title": {"type": "string", "minLength": 1}, "body": {"type": "string"}`,
			describeContextUpdate,
			runContextUpdate,
		).require("key", "body").fixedTerms(documentTerms),
		newAction(
			contextEdit,
			domain.RoleMember,
			domain.EffectIdempotent,
			"Change a document's draft in places, in order.",
			editProperties,
			describeContextEdit,
			runContextEdit,
		).require("key", "edits").fixedTerms(documentTerms),
		newAction(
			"CONTEXT_PUBLISH",
			domain.RoleMember,
			domain.EffectIdempotent,
			"Publish a document's draft.",
			keyProperty,
			describeContextPublish,
			runContextPublish,
		).require("key").fixedTerms(documentTerms),
	}
}

func documentTerms() terms {
	return terms{lasts: true,
		always: domain.Say("Changes of the documents always ask.", "Les modifications des documents demandent toujours un accord.")}
}

func describeContextUpdate(ctx context.Context, c *call, p contextParams) (card, error) {
	d := card{version: "0"}
	after := userdata.DocumentFields{Title: p.Key}
	doc, err := c.store.Document(ctx, p.Key)
	if err == nil {
		after = doc.DocumentFields
	}
	if err := p.Patch.Apply(&after); err != nil {
		return card{}, err
	}
	switch {
	case err == nil:
		d.before, d.after = diff(doc.DocumentFields, after)
		d.text = domain.Say("Change the draft of the document %s", "Modifier le brouillon du document %s", nameText(doc.Title))
		d.version = strconv.FormatInt(doc.Version, 10)
	case domain.ErrorCode(err) == domain.CodeNotFound:
		d.after = jsonbody.Encode(after)
		d.text = domain.Say("Add the document %s", "Ajouter le document %s", nameText(after.Title))
	default:
		return card{}, fmt.Errorf("read the document: %w", err)
	}
	return d, nil
}

func runContextUpdate(ctx context.Context, c *call, p contextParams) (done, error) {
	var before *userdata.DocumentFields
	if old, err := c.store.Document(ctx, p.Key); err == nil {
		before = new(old.DocumentFields)
	} else if domain.ErrorCode(err) != domain.CodeNotFound {
		return done{}, fmt.Errorf("read the document: %w", err)
	}
	doc, change, err := c.rules().WriteDocument(ctx, c.store, c.env.Env, p.Key, p.Patch)
	if err != nil {
		return done{}, err
	}
	summary := domain.Say("Changed the draft of %s", "Brouillon de %s modifié", nameText(doc.Title))
	if before == nil {
		summary = domain.Say("Added the document %s", "Document %s ajouté", nameText(doc.Title))
	}
	d, err := changed(doc.ID, change, fmt.Sprintf("Wrote the draft of the document %s. It is not published yet.", doc.Key), summary)
	return d.from(doc.ID, before, doc.DocumentFields), err
}

// published is what every session reads of a document.
type published struct {
	Body string `json:"published_body"`
}

// describeContextPublish takes into account what an earlier action of the same answer is about to write:
// the person sees the text that will be published. The text is part of the version, so that the approval
// is void if that action is not approved.
func describeContextPublish(ctx context.Context, c *call, p keyParams) (card, error) {
	d := card{warnings: []domain.Text{readByAll()}}
	doc, err := c.store.Document(ctx, p.Key)
	if err != nil && domain.ErrorCode(err) != domain.CodeNotFound {
		return card{}, fmt.Errorf("read the document: %w", err)
	}
	if err != nil {
		doc = &userdata.Document{Key: p.Key}
	}
	draft, err := c.draftBefore(doc)
	if err != nil {
		return d, err
	}
	name, body := cmp.Or(draft.Title, p.Key), draft.Body
	d.text = domain.Say("Publish the document %s", "Publier le document %s", nameText(name))
	d.version = strconv.FormatInt(doc.Version, 10) + "/" + hash(body)
	d.before, d.after = diff(published{doc.Published}, published{body})
	return d, nil
}

func runContextPublish(ctx context.Context, c *call, p keyParams) (done, error) {
	doc, err := data.FindDocument(ctx, c.store, p.Key)
	if err != nil {
		return done{}, err
	}
	before := published{doc.Published}
	change, err := c.rules().PublishDocument(ctx, c.store, c.env.Env, doc)
	if err != nil {
		return done{}, err
	}
	d, err := changed(doc.ID, change,
		fmt.Sprintf("Published the document %s.", doc.Key),
		domain.Say("Published the document %s", "Document %s publié", nameText(doc.Title)))
	return d.from(doc.ID, before, published{doc.Published}), err
}
