package userdata

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/api"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/handlers/edge"
)

func (s *Handlers) SearchData(w http.ResponseWriter, r *http.Request) {
	query, err := searchQuery(r)
	if err != nil {
		s.Fail(w, r, err)
		return
	}
	edge.WriteList(s, w, r, query.Limit, api.SearchHitFrom, func(limit int) ([]*userdata.SearchHit, string, error) {
		query.Limit = limit
		hits, next, err := s.Search.Search(r.Context(), edge.Caller(r).Workspace, query)
		return edge.Pointers(hits), next, domain.MovePointers(err, func(pointer string) string {
			if pointer == "/query" {
				return "/q" // as the query string names it
			}
			return pointer
		})
	})
}

func searchQuery(r *http.Request) (q userdata.SearchQuery, err error) {
	if q.Text = r.URL.Query().Get("q"); q.Text == "" {
		return q, domain.Invalid("/q", "required", "q takes the words to find, like ?q=river+run.")
	}
	if q.Kinds, err = kindsOf(r); err != nil {
		return q, err
	}
	q.Limit, q.Cursor, err = edge.Paging(r)
	return q, err
}

// kindsOf reads ?kinds=, each kind once.
func kindsOf(r *http.Request) ([]userdata.SearchKind, error) {
	text := r.URL.Query().Get("kinds")
	if text == "" {
		return nil, nil
	}
	var kinds []userdata.SearchKind
	for name := range strings.SplitSeq(text, ",") {
		kind := userdata.SearchKind(strings.TrimSpace(name))
		if !slices.Contains(userdata.SearchKinds, kind) {
			return nil, domain.Invalid("/kinds", "not_allowed", "kinds takes some of: entry, note, document; with commas between.")
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}
