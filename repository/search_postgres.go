package repository

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// postgresSearch keeps the words as a tsvector. It is written out here, so that no
// configuration or locale of the server has a say in what a word is.
type postgresSearch struct{}

// lastPosition is the highest place of a word that PostgreSQL tells apart.
const lastPosition = 16383

func (postgresSearch) put(ctx context.Context, t *tx, workspace string, rows []searchRow) error {
	prefix := wordPrefix(workspace)
	args := make([]any, 0, len(rows)*(searchWidth+1))
	for i := range rows {
		args = append(append(args, rows[i].values(workspace)...), vector(rows[i].terms(prefix)))
	}
	_, err := t.insert(ctx, "search", searchColumns+", words", "", searchWidth+1, args)
	return err
}

// vector is the text of a tsvector: each word once, with its places; those in the
// title weigh A.
func vector(title, body []string) string {
	places := map[string][]byte{}
	place := 0
	gather := func(terms []string, weight string) {
		for _, term := range terms {
			place = min(place+1, lastPosition)
			at := places[term]
			if len(at) > 0 {
				at = append(at, ',')
			}
			places[term] = append(strconv.AppendInt(at, int64(place), 10), weight...)
		}
	}
	gather(title, "A")
	gather(body, "")
	var b strings.Builder
	for _, term := range slices.Sorted(maps.Keys(places)) {
		b.WriteString("'" + term + "':")
		b.Write(places[term])
		b.WriteByte(' ')
	}
	return b.String()
}

func (postgresSearch) drop(ctx context.Context, t *tx, condition string, args ...any) error {
	_, err := t.exec(ctx, "DELETE FROM search WHERE "+condition, args...)
	return err
}

func (postgresSearch) find(prefix string, w *wanted) *query {
	terms := make([]string, 0, len(w.whole)+1)
	for _, text := range w.whole {
		terms = append(terms, "'"+prefix+text+"'")
	}
	last := "'" + prefix + w.last + "'"
	begun := last
	if w.begins {
		begun += ":*"
	}
	wanted := strings.Join(append(terms, begun), " & ")
	const rank = "ts_rank('{0.25, 0.25, 0.25, 1}', words, CAST(? AS tsquery), 1)"
	// The last word counts once more where it stands as it is: ts_rank takes a word and
	// what begins with it for the same.
	// OFFSET 0 keeps the other conditions out: the words are those of one workspace, and
	// without statistics PostgreSQL would rather read all of its rows.
	return newQuery("SELECT s.kind, s.id, s.score FROM (SELECT workspace_id, kind, id, audience, at, -("+rank+" + "+rank+") AS score FROM search "+
		"WHERE words @@ CAST(? AS tsquery) OFFSET 0) s WHERE TRUE", wanted, last, wanted)
}
