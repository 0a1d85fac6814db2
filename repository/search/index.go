package search

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain/userdata"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// Index is a database's full-text index. Its words are normalized and begin with a prefix of the
// workspace, so that a search only visits the words of its own workspace.
type Index interface {
	// Put adds rows that are not in the index yet.
	Put(ctx context.Context, t *sqldb.Tx, workspace string, rows []Row) error
	// Drop deletes the rows that match a condition on the table search.
	Drop(ctx context.Context, t *sqldb.Tx, condition string, args ...any) error
	// Find begins the SELECT of the rows that contain the words, up to its conditions: kind, id and
	// score, lowest first. The table search has the alias s.
	Find(prefix string, words *Words) *sqldb.Query
}

// IndexOf returns the index of a database.
func IndexOf(d *sqldb.Dialect) Index {
	if d.Name == "sqlite" {
		return sqliteIndex{}
	}
	return postgresIndex{}
}

// Row is an indexed text: one per entry, and one or two per document, depending on whether its
// draft differs from the published version.
type Row struct {
	Kind     userdata.SearchKind
	ID       string
	Audience Audience
	ToolID   string
	At       time.Time
	Title    string
	Body     string
}

// Audience selects who can find a row.
type Audience string

const (
	// Everybody finds a row without a differing draft.
	Everybody Audience = ""
	// People edit, and find the draft together with the published version.
	People Audience = "people"
	// Sessions find the published version.
	Sessions Audience = "sessions"
)

// thingRow has the columns that both databases store.
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

// WordPrefix is the prefix of a workspace's words. Two workspaces may share one, so the rows are
// also filtered by workspace.
func WordPrefix(workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5]))[:6]
}

// indexRoom limits the indexed bytes of one row: PostgreSQL accepts a megabyte.
const indexRoom = 900_000

// terms returns the words of a row with their prefix, up to indexRoom.
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
