package repository

import (
	"context"
	"fmt"
	"strings"
)

// sqliteSearch keeps the words in search_words, an FTS5 table without content of its
// own; search has a row for each of its rows, under the same number.
type sqliteSearch struct{}

func (sqliteSearch) put(ctx context.Context, t *tx, workspace string, rows []searchRow) error {
	// Numbers that only rise: FTS5 writes what it has gathered whenever one falls. One
	// connection writes, so nobody takes the same.
	var last int64
	if err := t.get(ctx, &last, "SELECT COALESCE(MAX(number), 0) FROM search"); err != nil {
		return fmt.Errorf("read the last number: %w", err)
	}
	prefix := wordPrefix(workspace)
	things := make([]any, 0, len(rows)*(searchWidth+1))
	texts := make([]any, 0, len(rows)*3)
	for i := range rows {
		last++
		title, body := rows[i].terms(prefix)
		things = append(append(things, last), rows[i].values(workspace)...)
		texts = append(texts, last, strings.Join(title, " "), strings.Join(body, " "))
	}
	if _, err := t.insert(ctx, "search", "number, "+searchColumns, "", searchWidth+1, things); err != nil {
		return err
	}
	_, err := t.insert(ctx, "search_words", "rowid, title, body", "", 3, texts)
	return err
}

func (sqliteSearch) drop(ctx context.Context, t *tx, condition string, args ...any) error {
	if _, err := t.exec(ctx, "DELETE FROM search_words WHERE rowid IN (SELECT number FROM search WHERE "+condition+")", args...); err != nil {
		return err
	}
	_, err := t.exec(ctx, "DELETE FROM search WHERE "+condition, args...)
	return err
}

// find asks FTS5 first: CROSS JOIN keeps the order of the tables. The words are letters
// and digits between quotes, so nothing in them is an operator.
func (sqliteSearch) find(prefix string, w *wanted) *query {
	terms := make([]string, 0, len(w.whole)+1)
	for _, text := range w.whole {
		terms = append(terms, `"`+prefix+text+`"`)
	}
	if w.begins {
		terms = append(terms, `("`+prefix+w.last+`" OR "`+prefix+w.last+`"*)`)
	} else {
		terms = append(terms, `"`+prefix+w.last+`"`)
	}
	return newQuery("SELECT s.kind, s.id, bm25(search_words, 4.0, 1.0) AS score FROM search_words CROSS JOIN search s ON s.number = search_words.rowid "+
		"WHERE search_words MATCH ?", strings.Join(terms, " AND "))
}
