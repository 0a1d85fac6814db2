package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

const (
	longestSearch = 1000 // characters
	mostWords     = 32
)

// Words are the words of a search: whole words, the last of which may be a prefix.
type Words struct {
	whole  []string
	last   string
	begins bool // last may be a prefix
}

// parse extracts the words from user input. A single letter would be the prefix of too many words,
// so it must match exactly.
func parse(text string) (*Words, error) {
	if n := utf8.RuneCountInString(text); n > longestSearch {
		return nil, domain.Invalid("/query", "max_length", "This has %d characters; a search takes %d.", n, longestSearch)
	}
	var all []string
	for w := range words(text) {
		all = append(all, w.text)
	}
	if len(all) == 0 {
		return nil, domain.Invalid("/query", "required", "A search needs a word, of letters or digits.")
	}
	last := all[len(all)-1]
	whole := slices.Clone(all[:len(all)-1])
	slices.Sort(whole)
	whole = slices.Compact(whole)
	if len(whole)+1 > mostWords {
		return nil, domain.Invalid("/query", "max_items",
			"This has %d words; a search takes %d. All of them must be found, so fewer find more.", len(whole)+1, mostWords)
	}
	return &Words{whole: whole, last: last, begins: utf8.RuneCountInString(last) > 1}, nil
}

// matches reports whether a word of a text is among the words.
func (w *Words) matches(text string) bool {
	if _, found := slices.BinarySearch(w.whole, text); found {
		return true
	}
	return text == w.last || w.begins && strings.HasPrefix(text, w.last)
}

// Found is a row that the index found.
type Found struct {
	Kind  string  `db:"kind"`
	ID    string  `db:"id"`
	Score float64 `db:"score"`
}

// Find returns a page of the rows that contain every word, best match first, then newest, and the
// parsed words. The third result is the cursor of the next page, "" at the end.
func Find(ctx context.Context, r sqldb.Reader, index Index, workspace string, s userdata.SearchQuery) ([]Found, *Words, string, error) {
	w, err := parse(s.Text)
	if err != nil {
		return nil, nil, "", err
	}
	mark := cursorMark(s)
	after, err := sqldb.ReadCursor(s.Cursor, mark)
	if err == nil && after.Number < 0 {
		err = domain.Invalid("/after", "bad_cursor", "This cursor is not one that the server gave out.")
	}
	if err != nil {
		return nil, nil, "", err
	}
	limit := sqldb.PageSize(s.Limit)
	q := index.Find(WordPrefix(workspace), w)
	q.Add(" AND s.workspace_id = ? AND s.audience IN ('', ?)", workspace, string(readers(s)))
	if len(s.Kinds) > 0 {
		q.Add(" AND s.kind IN (?, ?, ?)", kindArgs(s.Kinds)...)
	}
	q.Add(" ORDER BY score, s.at DESC, s.id LIMIT ? OFFSET ?", limit+1, after.Number)
	var rows []Found
	if err := r.All(ctx, &rows, q.Text(), q.Args()...); err != nil {
		return nil, nil, "", fmt.Errorf("search: %w", err)
	}
	if len(rows) <= limit {
		return rows, w, "", nil
	}
	next := sqldb.Cursor{Number: after.Number + int64(limit), ID: mark}
	return rows[:limit], w, next.String(), nil
}

// cursorMark distinguishes the cursors of different searches. A cursor counts the preceding rows,
// because scores change with every write.
func cursorMark(s userdata.SearchQuery) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %t", s.Text, s.Kinds, s.Published))
	return hex.EncodeToString(sum[:6])
}

func readers(s userdata.SearchQuery) Audience {
	if s.Published {
		return Sessions
	}
	return People
}

// kindArgs pads the kinds by repetition, so that the statement is always the same.
func kindArgs(kinds []userdata.SearchKind) []any {
	kinds = slices.Compact(slices.Sorted(slices.Values(kinds)))
	args := make([]any, len(userdata.SearchKinds))
	for i := range args {
		args[i] = string(kinds[min(i, len(kinds)-1)])
	}
	return args
}
