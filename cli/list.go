package cli

import (
	"context"
	"math"
	"net/http"
	"net/url"
	"strconv"
)

// page is a page of a list.
type page[T any] struct {
	Data       []T     `json:"data"`
	NextCursor *string `json:"next_cursor"`
}

// mostOfPage is the API's largest page size.
const mostOfPage = 200

// everything is a limit that no list reaches.
const everything = math.MaxInt

// list reads a list page by page, up to limit items.
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

// printList prints a list of the server as JSON or as a table.
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

// printRows prints a list that has been read.
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
