package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/jsonbody"
	"github.com/fermata-dev/fermata/stream"
)

const (
	// maxPage bounds the JSON of a list that a tool gives: as many items as fit, and always one. What a model
	// reads at once is far less.
	maxPage = 512 << 10
	// maxText bounds the text form of a result. The whole is in its structured form, which a client that can
	// use long results reads.
	maxText = 64 << 10
)

// page reads one page of a list: as many items as are asked for, or as there is room for. Where they do not
// all fit, the page is read again with as many as do: so its cursor is the right one.
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

// pointed gives the mappers of items what they take.
func pointers[T any](items []T, next string, err error) ([]*T, string, error) {
	all := make([]*T, len(items))
	for i := range items {
		all[i] = &items[i]
	}
	return all, next, err
}

// shown is the text form of a result: all of it, or its beginning and where the rest is.
func truncated(text string) string {
	if len(text) <= maxText {
		return text
	}
	return jsonbody.Cut(text, maxText) + fmt.Sprintf(
		"\n\n[The first %d of %d bytes. The whole is in structuredContent; ask for fewer items to read less.]", maxText, len(text))
}
