package data

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// FindZone finds a zone that a change names; the error for an unknown id lists the existing zones, because
// the AI often has only a zone's name.
func FindZone(ctx context.Context, store Zones, pointer, id string) (*userdata.Zone, error) {
	zone, err := store.Zone(ctx, id)
	if err == nil {
		return zone, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the zone: %w", err)
	}
	zones, err := store.Zones(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the zones: %w", err)
	}
	known := make([]string, len(zones))
	for i, z := range zones {
		known[i] = z.ID + " (" + z.Name + ")"
	}
	return nil, missing(pointer, "zone", id, known)
}

// FindTool is FindZone for a tool.
func FindTool(ctx context.Context, store Tools, pointer, id string) (*userdata.Tool, error) {
	tool, err := store.Tool(ctx, id)
	if err == nil {
		return tool, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the tool: %w", err)
	}
	tools, err := store.Tools(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("read the tools: %w", err)
	}
	known := make([]string, len(tools))
	for i, t := range tools {
		known[i] = t.ID + " (" + t.Name + ")"
	}
	return nil, missing(pointer, "tool", id, known)
}

// FindEntry finds an entry that a change names; the error for an unknown id describes where to find ids.
func FindEntry(ctx context.Context, store Entries, pointer, id string) (*userdata.Entry, error) {
	entry, err := store.Entry(ctx, id)
	if err == nil {
		return entry, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the entry: %w", err)
	}
	message := fmt.Sprintf("There is no entry with the id %s. The ids of a tool's entries are in its data (TOOL_DATA).", jsonbody.Quote(id))
	return nil, &domain.Error{Code: domain.CodeNotFound, Message: message,
		Fields: []domain.FieldError{{Pointer: pointer, Code: "unknown", Message: message}}}
}

// FindDocument finds a document by key; the error for an unknown one lists the keys.
func FindDocument(ctx context.Context, store Documents, key string) (*userdata.Document, error) {
	doc, err := store.Document(ctx, key)
	if err == nil {
		return doc, nil
	}
	if domain.ErrorCode(err) != domain.CodeNotFound {
		return nil, fmt.Errorf("read the document: %w", err)
	}
	docs, err := store.Documents(ctx)
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

// missing is the not_found error that helps: it names what there is.
func missing(pointer, noun, id string, known []string) *domain.Error {
	const most = 50
	message := fmt.Sprintf("There is no %s with the id %s.", noun, jsonbody.Quote(id))
	field := domain.FieldError{Pointer: pointer, Code: "unknown", Message: message}
	switch n := len(known); {
	case n == 0:
		message += fmt.Sprintf(" There is no %s at all yet.", noun)
	case n > most:
		message += fmt.Sprintf(" The first %d of %d: %s.", most, n, strings.Join(known[:most], ", "))
	default:
		message += " There are: " + strings.Join(known, ", ") + "."
	}
	return &domain.Error{Code: domain.CodeNotFound, Message: message, Fields: []domain.FieldError{field}}
}
