package cli

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
)

// page is a part of a list, as every list of the API comes.
type page[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// mostOfPage is how many the API gives at once.
const mostOfPage = 200

// everything is a limit that no list reaches.
const everything = math.MaxInt

// list reads a list page by page, so many at most.
func list[T any](ctx context.Context, c *client, path string, query url.Values, limit int) ([]T, error) {
	all := []T{}
	for len(all) < limit {
		query.Set("limit", strconv.Itoa(min(limit-len(all), mostOfPage)))
		var p page[T]
		if err := c.call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Data...)
		if p.NextCursor == nil || len(p.Data) == 0 {
			break
		}
		query.Set("after", *p.NextCursor)
	}
	return all, nil
}

// printList prints a list of the server, as it is or as a table with a row for each.
func printList[T any](cc *Context, f *clientFlags, path string, query url.Values, limit int, head []string, row func(*T) []string) error {
	client, err := f.client(cc)
	if err != nil {
		return err
	}
	all, err := list[T](cc, client, path, query, limit)
	if err != nil {
		return err
	}
	return printRows(cc, f, all, head, row)
}

// printRows prints what was read of a list.
func printRows[T any](cc *Context, f *clientFlags, all []T, head []string, row func(*T) []string) error {
	if f.Output == "json" {
		return printJSON(cc.Out, all)
	}
	rows := make([][]string, len(all))
	for i := range all {
		rows[i] = row(&all[i])
	}
	return table(cc.Out, head, rows)
}
