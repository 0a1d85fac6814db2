package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/commands/edits"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// Edits of a document: a long text is changed in places, without writing all of it again.

type editParams struct {
	Key   string       `json:"key"`
	Edits []edits.Edit `json:"edits"`
}

const editProperties = keyProperty + `, "edits": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "object",
	"properties": {"find": {"type": "string", "minLength": 1, "maxLength": 20000,
		"description": "A piece of the text, exactly as it stands, long enough to occur once."},
	"replace": {"type": "string", "maxLength": 20000, "description": "What takes its place; empty: nothing."}},
	"required": ["find", "replace"], "additionalProperties": false}}`

// betweenEdits separates the passages on a card.
const betweenEdits = "\n[…]\n"

// draftBefore is the draft of a document as this action finds it: with what the actions before it, in
// the same answer, are about to write.
func (c *call) draftBefore(doc *userdata.Document) (userdata.Document, error) {
	draft := *doc
	for _, e := range c.earlier {
		switch e.Command {
		case "CONTEXT_UPDATE":
			if written, err := decode[contextParams](e.Params); err == nil && written.Key == draft.Key {
				if err := written.Patch.Apply(&draft.DocumentFields); err != nil {
					return draft, err
				}
			}
		case contextEdit:
			written, err := decode[editParams](e.Params)
			if err != nil || written.Key != draft.Key {
				continue
			}
			if draft.Body, _, _, err = edits.Apply(draft.Body, written.Edits); err != nil {
				return draft, err
			}
		}
	}
	return draft, nil
}

// describeContextEdit shows the edited passages with their surroundings, not the whole document.
func describeContextEdit(ctx context.Context, c *call, p editParams) (card, error) {
	var d card
	doc, err := c.store.Document(ctx, p.Key)
	switch {
	case domain.ErrorCode(err) == domain.CodeNotFound && c.writesEarlier(p.Key):
		doc = &userdata.Document{Key: p.Key, DocumentFields: userdata.DocumentFields{Title: p.Key}}
	case domain.ErrorCode(err) == domain.CodeNotFound:
		_, err := data.FindDocument(ctx, c.store, p.Key)
		return d, err
	case err != nil:
		return d, fmt.Errorf("read the document: %w", err)
	}
	draft, err := c.draftBefore(doc)
	if err != nil {
		return d, err
	}
	_, before, after, err := edits.Apply(draft.Body, p.Edits)
	if err != nil {
		return d, err
	}
	d.version = strconv.FormatInt(doc.Version, 10) + "/" + hash(draft.Body)
	d.before = jsonbody.Encode(places{strings.Join(before, betweenEdits)})
	d.after = jsonbody.Encode(places{strings.Join(after, betweenEdits)})
	d.text = domain.Say("Change the draft of the document %s", "Modifier le brouillon du document %s", nameText(draft.Title))
	return d, nil
}

// places are those of a text that an edit changes.
type places struct {
	Body string `json:"body"`
}

// writesEarlier: an action before this one makes the document.
func (c *call) writesEarlier(key string) bool {
	for _, e := range c.earlier {
		if written, err := decode[contextParams](e.Params); err == nil && e.Command == "CONTEXT_UPDATE" && written.Key == key {
			return true
		}
	}
	return false
}

func runContextEdit(ctx context.Context, c *call, p editParams) (done, error) {
	doc, err := data.FindDocument(ctx, c.store, p.Key)
	if err != nil {
		return done{}, err
	}
	before := doc.DocumentFields
	body, _, _, err := edits.Apply(doc.Body, p.Edits)
	if err != nil {
		return done{}, err
	}
	doc.Body = body
	change, err := c.rules().UpdateDocument(ctx, c.store, c.env.Env, doc, nil)
	if err != nil {
		return done{}, err
	}
	d, err := changed(doc.ID, change,
		fmt.Sprintf("Changed the draft of the document %s in %s. It is not published yet.",
			doc.Key, domain.Plural(len(p.Edits), "place", "places")),
		domain.Say("Changed the draft of %s", "Brouillon de %s modifié", nameText(doc.Title)))
	return d.from(doc.ID, before, doc.DocumentFields), err
}
