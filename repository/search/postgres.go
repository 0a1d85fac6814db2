package search

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// postgresIndex stores the words as a tsvector. The vector is built here, so that the server's
// configuration and locale do not affect what a word is.
type postgresIndex struct{}

// lastPosition is the highest word position that PostgreSQL distinguishes.
const lastPosition = 16383

type postgresThing struct {
	thingRow
	Words string `db:"words"`
}

var postgresThings = sqldb.NewTable[postgresThing]("search")

func (postgresIndex) Put(ctx context.Context, t *sqldb.Tx, workspace string, rows []Row) error {
	prefix := WordPrefix(workspace)
	things := make([]postgresThing, len(rows))
	for i := range rows {
		things[i] = postgresThing{thingRow: rows[i].thing(workspace), Words: vector(rows[i].terms(prefix))}
	}
	_, err := t.Insert(ctx, postgresThings.Rows(things...), "")
	return err
}

// vector returns the text of a tsvector: each word once, with its positions; those in the title
// have weight A.
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

func (postgresIndex) Drop(ctx context.Context, t *sqldb.Tx, condition string, args ...any) error {
	_, err := t.Write(ctx, "DELETE FROM search WHERE "+condition, args...)
	return err
}

func (postgresIndex) Find(prefix string, w *Words) *sqldb.Query {
	terms := make([]string, 0, len(w.whole)+1)
	for _, text := range w.whole {
		terms = append(terms, "'"+prefix+text+"'")
	}
	last := "'" + prefix + w.last + "'"
	begun := last
	if w.begins {
		begun += ":*"
	}
	all := strings.Join(append(terms, begun), " & ")
	const rank = "ts_rank('{0.25, 0.25, 0.25, 1}', words, CAST(? AS tsquery), 1)"
	// An exact match of the last word counts once more: ts_rank does not distinguish a word from a
	// prefix of it. OFFSET 0 keeps the other conditions outside: the words belong to one workspace,
	// and without statistics PostgreSQL would prefer to read all of its rows.
	return sqldb.NewQuery("SELECT s.kind, s.id, s.score FROM (SELECT workspace_id, kind, id, audience, at, "+
		"-("+rank+" + "+rank+") AS score FROM search "+
		"WHERE words @@ CAST(? AS tsquery) OFFSET 0) s WHERE TRUE", all, last, all)
}
