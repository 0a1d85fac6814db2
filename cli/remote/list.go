package remote

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

// Everything is a limit that no list reaches.
const Everything = math.MaxInt

// List reads a list page by page, up to limit items.
func List[T any](ctx context.Context, c *Client, path string, query url.Values, limit int) ([]T, error) {
	all := []T{}
	for len(all) < limit {
		query.Set("limit", strconv.Itoa(min(limit-len(all), mostOfPage)))
		var p page[T]
		if err := c.Call(ctx, http.MethodGet, path+"?"+query.Encode(), nil, &p); err != nil {
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
