package search

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Index is a database's own full text search. The words it gets are folded already, and
// begin with the workspace's own prefix: a search walks through the words of its
// workspace only, however many others there are.
type Index interface {
	// Put adds things that are not in the index.
	Put(ctx context.Context, t *sqldb.Tx, workspace string, rows []Row) error
	// Drop takes away what a condition on the table search names.
	Drop(ctx context.Context, t *sqldb.Tx, condition string, args ...any) error
	// Find is the beginning of the SELECT of what holds the words, up to its conditions:
	// kind, id and score, the lowest first. The table search is s.
	Find(prefix string, words *Words) *sqldb.Query
}

// IndexOf is the index of a database.
func IndexOf(d *sqldb.Dialect) Index {
	if d.Name == "sqlite" {
		return sqliteIndex{}
	}
	return postgresIndex{}
}

// Row is a thing in the index: one for an entry, and for a document one, or two where
// its draft is not what was published.
type Row struct {
	Kind     domain.SearchKind
	ID       string
	Audience Audience
	ToolID   string
	At       time.Time
	Title    string
	Body     string
}

// Audience is who finds a row.
type Audience string

const (
	// Everybody finds what is not a draft, or the same in its draft.
	Everybody Audience = ""
	// People are those who edit: the draft, with what was published.
	People Audience = "people"
	// Sessions find what was published.
	Sessions Audience = "sessions"
)

// thingRow is what both databases keep of a row.
type thingRow struct {
	WorkspaceID string      `db:"workspace_id"`
	Kind        string      `db:"kind"`
	ID          string      `db:"id"`
	Audience    string      `db:"audience"`
	ToolID      string      `db:"tool_id"`
	At          sqldb.Stamp `db:"at"`
}

func (r *Row) thing(workspace string) thingRow {
	return thingRow{
		WorkspaceID: workspace, Kind: string(r.Kind), ID: r.ID, Audience: string(r.Audience), ToolID: r.ToolID, At: sqldb.At(r.At),
	}
}

// WordPrefix is what the words of a workspace begin with. Two may share one: the rows
// are held against the workspace too.
func WordPrefix(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))[:6]
}

// indexRoom bounds what is indexed of one thing: PostgreSQL takes a megabyte.
const indexRoom = 900_000

// terms are the words of a row with their prefix. What is beyond the room is left out.
func (r *Row) terms(prefix string) (title, body []string) {
	seen, room := map[string]bool{}, indexRoom
	gather := func(text string) (out []string) {
		for w := range words(text) {
			term := prefix + w.text
			if room -= 2; !seen[term] {
				seen[term] = true
				room -= len(term) + 6
			}
			if room < 0 {
				break
			}
			out = append(out, term)
		}
		return out
	}
	return gather(r.Title), gather(r.Body)
}
