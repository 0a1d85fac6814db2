package search

import (
	"context"
	"fmt"
	"strings"

	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// sqliteIndex stores the words in search_words, a contentless FTS5 table; each of its rows has a
// row in search with the same number.
type sqliteIndex struct{}

type sqliteThing struct {
	Number int64 `db:"number"`
	thingRow
}

type sqliteWords struct {
	RowID int64  `db:"rowid"`
	Title string `db:"title"`
	Body  string `db:"body"`
}

var (
	sqliteThings = sqldb.NewTable[sqliteThing]("search")
	sqliteTexts  = sqldb.NewTable[sqliteWords]("search_words")
)

func (sqliteIndex) Put(ctx context.Context, t *sqldb.Tx, workspace string, rows []Row) error {
	// Increasing numbers: FTS5 flushes its buffer whenever one decreases. There is one writing
	// connection, so numbers cannot collide.
	var last int64
	if err := t.Get(ctx, &last, "SELECT COALESCE(MAX(number), 0) FROM search"); err != nil {
		return fmt.Errorf("read the last number: %w", err)
	}
	prefix := WordPrefix(workspace)
	things, texts := make([]sqliteThing, len(rows)), make([]sqliteWords, len(rows))
	for i := range rows {
		last++
		title, body := rows[i].terms(prefix)
		things[i] = sqliteThing{Number: last, thingRow: rows[i].thing(workspace)}
		texts[i] = sqliteWords{RowID: last, Title: strings.Join(title, " "), Body: strings.Join(body, " ")}
	}
	if _, err := t.Insert(ctx, sqliteThings.Rows(things...), ""); err != nil {
		return err
	}
	_, err := t.Insert(ctx, sqliteTexts.Rows(texts...), "")
	return err
}

func (sqliteIndex) Drop(ctx context.Context, t *sqldb.Tx, condition string, args ...any) error {
	if _, err := t.Write(
		ctx,
		"DELETE FROM search_words WHERE rowid IN (SELECT number FROM search WHERE "+condition+")",
		args...); err != nil {
		return err
	}
	_, err := t.Write(ctx, "DELETE FROM search WHERE "+condition, args...)
	return err
}

// Find queries FTS5 first: CROSS JOIN fixes the order of the tables. The words are quoted letters
// and digits, so they cannot contain operators.
func (sqliteIndex) Find(prefix string, w *Words) *sqldb.Query {
	terms := make([]string, 0, len(w.whole)+1)
	for _, text := range w.whole {
		terms = append(terms, `"`+prefix+text+`"`)
	}
	if w.begins {
		terms = append(terms, `("`+prefix+w.last+`" OR "`+prefix+w.last+`"*)`)
	} else {
		terms = append(terms, `"`+prefix+w.last+`"`)
	}
	return sqldb.NewQuery("SELECT s.kind, s.id, bm25(search_words, 4.0, 1.0) AS score FROM search_words "+
		"CROSS JOIN search s ON s.number = search_words.rowid "+
		"WHERE search_words MATCH ?", strings.Join(terms, " AND "))
}
