package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/stream"
)

const (
	// maxPage limits the JSON of a list in a result, in bytes. A list has at least one item.
	maxPage = 512 << 10
	// maxText limits the text form of a result, in bytes. Its structured form is complete.
	maxText = 64 << 10
)

// page reads one page of a list: the requested number of items, or as many as fit. In the second
// case the page is read again with that number, so that its cursor is correct.
func page[D, A any](ctx context.Context, limit int, to func(*D) A, read func(limit int) ([]*D, string, error)) (
	encoded []json.RawMessage, next string, err error,
) {
	if !stream.RoomOf(ctx).Take(ctx, domain.PageBytes/2) {
		return nil, "", domain.Errorf(domain.CodeUnavailable, "Too much of this key or workspace is under way. Ask again in a moment.")
	}
	for {
		items, next, err := read(limit)
		if err != nil {
			return nil, "", err
		}
		encoded, bytes := []json.RawMessage{}, 0
		for _, item := range items {
			one := jsonbody.Encode(to(item))
			if bytes += len(one); bytes > maxPage && len(encoded) > 0 {
				break
			}
			encoded = append(encoded, one)
		}
		if len(encoded) == len(items) {
			return encoded, next, nil
		}
		limit = len(encoded)
	}
}

// pointers converts a list of values to one of pointers.
func pointers[T any](items []T, next string, err error) ([]*T, string, error) {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all, next, err
}

// truncated returns the text form of a result: all of it, or its beginning and a note.
func truncated(text string) string {
	if len(text) <= maxText {
		return text
	}
	return shorten.Characters(text, maxText) + fmt.Sprintf(
		"\n\n[The first %d of %d bytes. The complete result is in structuredContent; request fewer items for a shorter one.]", maxText, len(text))
}
