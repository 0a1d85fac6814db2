package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
)

// Edits of a document: a long text is changed in places, without writing all of it again.

type textEdit struct {
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

type editParams struct {
	Key   string     `json:"key"`
	Edits []textEdit `json:"edits"`
}

const editProperties = keyProperty + `, "edits": {"type": "array", "minItems": 1, "maxItems": 50, "items": {"type": "object",
	"properties": {"find": {"type": "string", "minLength": 1, "maxLength": 20000,
		"description": "A piece of the text, exactly as it stands, long enough to occur once."},
	"replace": {"type": "string", "maxLength": 20000, "description": "What takes its place; empty: nothing."}},
	"required": ["find", "replace"], "additionalProperties": false}}`

// edited is a text with the edits made one after the other, and what each of them changed.
func edited(body string, edits []textEdit) (text string, before, after []string, err error) {
	for i, e := range edits {
		at := fmt.Sprintf("/edits/%d/find", i)
		switch n := strings.Count(body, e.Find); {
		case n == 0:
			return "", nil, nil, domain.Invalid(at, "not_found",
				"The text %s does not occur in the draft. Read the place again (CONTEXT with a part) and take it as it stands.",
				quotedPiece(e.Find))
		case n > 1:
			return "", nil, nil, domain.Invalid(at, "not_unique",
				"The text %s occurs %d times in the draft. Take more of what stands around it, so that it occurs once.", quotedPiece(e.Find), n)
		case e.Find == e.Replace:
			return "", nil, nil, domain.Invalid(at, "unchanged", "The text %s is replaced by itself.", quotedPiece(e.Find))
		}
		from := strings.Index(body, e.Find)
		to := from + len(e.Find)
		left, right := around(body, from, to)
		before = append(before, left+e.Find+right)
		after = append(after, left+e.Replace+right)
		body = body[:from] + e.Replace + body[to:]
	}
	return body, before, after, nil
}

// pieceBytes bounds what is said of a text that was not found, and contextBytes what a person is shown
// on each side of a change.
const (
	pieceBytes   = 120
	contextBytes = 160
)

func quotedPiece(text string) string { return jsonbody.Quote(shorten.Characters(text, pieceBytes)) }

// around is the context of a piece of text: the rest of its lines and one more on each side, limited in
// size.
func around(text string, from, to int) (left, right string) {
	begin := max(0, from-contextBytes)
	for begin > 0 && !utf8.RuneStart(text[begin]) {
		begin++
	}
	left = text[begin:from]
	if last := strings.LastIndexByte(left, '\n'); last > 0 {
		if line := strings.LastIndexByte(left[:last], '\n'); line >= 0 {
			left = left[line+1:]
		}
	}
	end := min(len(text), to+contextBytes)
	for end < len(text) && !utf8.RuneStart(text[end]) {
		end--
	}
	right = text[to:end]
	if first := strings.IndexByte(right, '\n'); first >= 0 {
		if line := strings.IndexByte(right[first+1:], '\n'); line >= 0 {
			right = right[:first+1+line]
		}
	}
	return left, right
}

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
			if draft.Body, _, _, err = edited(draft.Body, written.Edits); err != nil {
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
	_, before, after, err := edited(draft.Body, p.Edits)
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
	body, _, _, err := edited(doc.Body, p.Edits)
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
