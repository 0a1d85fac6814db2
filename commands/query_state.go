package commands

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/commands/documents"
	"github.com/fermata-dev/fermata/data"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// countedTools is how many tools APP_STATE counts the entries of: each is a query.
const countedTools = 100

type keyParams struct {
	Key string `json:"key,omitempty"`
}

func stateQueries() []*command {
	return []*command{
		newQuery(
			"APP_STATE",
			domain.RoleViewer,
			"List the zones, tools and documents.",
			``,
			func(_ context.Context, c *call, _ noParams) domain.Text {
				return domain.Say("Look at the zones and tools", "Regarder les zones et les outils")
			},
			appState,
		),
	}
}

func documentQueries() []*command {
	return []*command{
		newQuery(
			"CONTEXT",
			domain.RoleViewer,
			"List the documents, or read one with its draft, or a part.",
			`"key": {"type": "string", "description": "The list when left out."},
			"part": {"type": "object", "description": "Below a heading, or so many tokens from one on.", "properties": {
				"heading": {"type": "string", "minLength": 1, "maxLength": 200},
				"from": {"type": "integer", "minimum": 0, "maximum": 1000000},
				"tokens": {"type": "integer", "minimum": 50, "maximum": 20000}}, "additionalProperties": false}`,
			func(_ context.Context, c *call, p contextQuery) domain.Text {
				if p.Key == "" {
					return domain.Say("List the documents", "Lister les documents")
				}
				return domain.Say("Read the document %s", "Lire le document %s", nameText(p.Key))
			},
			readContext,
		),
	}
}

// zoneState is a zone with its tools.
type zoneState struct {
	zoneRow
	Tools []toolRow `json:"tools"`
}

func appState(ctx context.Context, c *call, _ noParams) (answer, error) {
	zones, err := c.store.Zones(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read the zones: %w", err)
	}
	tools, err := c.store.Tools(ctx, "")
	if err != nil {
		return answer{}, fmt.Errorf("read the tools: %w", err)
	}
	docs, err := c.store.Documents(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read the documents: %w", err)
	}
	byZone := map[string][]toolRow{}
	for i, t := range tools {
		row := toolRow{ID: t.ID, Name: t.Name, Type: t.ToolType, Description: t.Description}
		if i < countedTools {
			n, err := c.store.CountEntries(ctx, t.ID)
			if err != nil {
				return answer{}, fmt.Errorf("count the entries: %w", err)
			}
			row.Entries = &n
		}
		byZone[t.ZoneID] = append(byZone[t.ZoneID], row)
	}
	keys := make([]string, len(docs))
	for i, d := range docs {
		keys[i] = d.Key
	}
	a := answer{key: "zones", count: toolsText(len(tools)),
		head: fmt.Sprintf("%s, %s, %s%s.", domain.Plural(len(zones), "zone", "zones"), domain.Plural(len(tools), "tool", "tools"),
			domain.Plural(len(docs), "document", "documents"), list(": ", keys))}
	for _, z := range zones {
		state := zoneState{zoneRow{z.ID, z.Name, z.Description, z.RequireValidation}, byZone[z.ID]}
		if state.Tools == nil {
			state.Tools = []toolRow{}
		}
		a.rows = append(a.rows, jsonbody.Encode(state))
	}
	return a, nil
}

func list(opening string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return opening + strings.Join(items, ", ")
}

type documentRow struct {
	Key       string `json:"key"`
	Title     string `json:"title"`
	Published bool   `json:"published"`
	Draft     bool   `json:"draft_differs"`
}

type contextQuery struct {
	Key  string                `json:"key,omitempty"`
	Part *documents.PartParams `json:"part,omitempty"`
}

func readContext(ctx context.Context, c *call, p contextQuery) (answer, error) {
	switch {
	case p.Key != "":
		doc, err := data.FindDocument(ctx, c.store, p.Key)
		if err != nil {
			return answer{}, err
		}
		return readDocument(&c.env, doc, p.Part)
	case p.Part != nil:
		return answer{}, domain.Invalid("/key", "required", "A part is one of a document: give its key.")
	}
	docs, err := c.store.Documents(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("read the documents: %w", err)
	}
	a := answer{head: domain.Plural(len(docs), "document", "documents") + ":", key: "documents",
		count: domain.Count(len(docs), "document", "documents", "document", "documents")}
	for _, d := range docs {
		a.rows = append(a.rows, jsonbody.Encode(documentRow{d.Key, d.Title, d.PublishedAt != nil, d.Body != d.Published}))
	}
	return a, nil
}

// headRoom is what the head of an answer and its notes may take beside a text.
const headRoom = documents.OutlineBytes + 1000

// readDocument returns a whole document if there is room for it, else a part of it with its headings.
func readDocument(env *Env, doc *userdata.Document, asked *documents.PartParams) (answer, error) {
	name := "The document " + jsonbody.Quote(doc.Title) + " (" + doc.Key + ")"
	room := cmp.Or(env.SeriesBytes, seriesBytes) - headRoom
	whole := jsonbody.Encode(documentView(doc))
	switch {
	case asked == nil && len(whole) <= room:
		return answer{head: name + ":", body: whole}, nil
	case asked == nil:
		asked = &documents.PartParams{Tokens: max(room, documents.PartTokens)}
	case asked.Heading != "" && asked.From > 0:
		return answer{}, domain.Invalid("/part", "one_of", "A part begins at a heading or at a token, not at both.")
	}
	text, words, err := documents.Part(doc, *asked, max(room, headRoom))
	if err != nil {
		return answer{}, err
	}
	a := answer{head: name + ", " + words + "."}
	if asked.Heading == "" && asked.From == 0 {
		a.head += documents.Outline(doc.Body)
	}
	a.body = []byte(text)
	if documents.TokensIn(len(text)) < documents.TokensIn(len(doc.Body)) {
		a.note = "This is a part of the document."
	}
	return a, nil
}

// documentText is a document as the AI reads it: the draft only where it differs.
type documentText struct {
	Key       string  `json:"key"`
	Title     string  `json:"title"`
	Published *string `json:"published_body"`
	Draft     *string `json:"draft_body,omitempty"`
}

func documentView(d *userdata.Document) documentText {
	view := documentText{Key: d.Key, Title: d.Title}
	if d.PublishedAt != nil {
		view.Published = &d.Published
	}
	if d.Body != d.Published || d.PublishedAt == nil {
		view.Draft = &d.Body
	}
	return view
}
