package people

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
)

// personCeiling is not exact: people who come for the first time at the same moment are counted beside each other.
var personCeiling = transaction.Ceiling{Most: 100_000, Noun: "people", From: "people WHERE 1 = 1"}

// PersonStore stores the people of workspaces.
type PersonStore struct{ db *transaction.DB }

// Stores are those of people and their credentials.
type Stores struct {
	Keys     *KeyStore
	SignIns  *SignInStore
	Passkeys *passkeyStore
	People   *PersonStore
}

// NewStores makes the stores.
func NewStores(db *transaction.DB) Stores {
	return Stores{Keys: &KeyStore{db}, SignIns: &SignInStore{db}, Passkeys: &passkeyStore{db}, People: &PersonStore{db}}
}

type personRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	ID          string      `db:"id,key"`
	Kind        string      `db:"kind"`
	Identity    string      `db:"identity"`
	Name        string      `db:"name"`
	Renamed     string      `db:"renamed"`
	Role        string      `db:"role"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	LastSeenAt  sqldb.Stamp `db:"last_seen_at"`
	BlockedAt   sqldb.Stamp `db:"blocked_at"`
	Caps        string      `db:"caps"`
	ErasedAt    sqldb.Stamp `db:"erased_at"`
}

var personTable = sqldb.NewTable[personRow]("people")

func personRowOf(p *people.Person) (personRow, error) {
	var err error
	return personRow{
		WorkspaceID: p.WorkspaceID, ID: p.ID, Kind: string(p.Kind), Identity: p.Identity, Name: p.Name, Renamed: p.Renamed,
		Role: string(p.Role), CreatedAt: sqldb.At(p.CreatedAt), LastSeenAt: sqldb.At(p.LastSeenAt), BlockedAt: sqldb.AtPtr(p.BlockedAt),
		Caps: sqldb.JSONOf(&p.Caps, &err), ErasedAt: sqldb.AtPtr(p.ErasedAt),
	}, err
}

func (r *personRow) person() (*people.Person, error) {
	p := &people.Person{
		WorkspaceID: r.WorkspaceID, ID: r.ID, Kind: people.PersonKind(r.Kind), Identity: r.Identity, Name: r.Name, Renamed: r.Renamed,
		Role: domain.Role(r.Role), CreatedAt: r.CreatedAt.Time, LastSeenAt: r.LastSeenAt.Time, BlockedAt: r.BlockedAt.Ptr(),
		ErasedAt: r.ErasedAt.Ptr(),
	}
	if r.Caps == "" { // of one that a migration created
		return p, nil
	}
	caps, err := sqldb.DecodeJSON[people.Caps](r.Caps)
	if err != nil {
		return nil, fmt.Errorf("read the caps of person %s: %w", r.ID, err)
	}
	p.Caps = *caps
	return p, nil
}

var personByIdentity = "SELECT " + personTable.Columns() + " FROM people WHERE workspace_id = $1 AND identity = $2"

// FindOrCreate returns the person of a workspace with the identity of in, who is created at the first use. The name and the role
// follow the credentials. Of several requests for the same person at once, all get the one row.
func (s *PersonStore) FindOrCreate(ctx context.Context, in *people.Person) (*people.Person, error) {
	var row personRow
	err := s.db.Get(ctx, &row, personByIdentity, in.WorkspaceID, in.Identity)
	switch {
	case sqldb.NotFound(err):
		return s.create(ctx, in)
	case err != nil:
		return nil, fmt.Errorf("look up the person: %w", err)
	}
	known, err := row.person()
	if err != nil || !known.Differs(in) {
		return known, err
	}
	known.Name, known.Role = in.Name, in.Role
	err = s.db.WriteUnseen(transaction.WithoutKey(ctx), in.WorkspaceID, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "UPDATE people SET name = $3, role = $4 WHERE workspace_id = $1 AND id = $2",
			known.WorkspaceID, known.ID, known.Name, string(known.Role))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("write the name and the role of a person: %w", err)
	}
	return known, nil
}

func (s *PersonStore) create(ctx context.Context, in *people.Person) (*people.Person, error) {
	row, err := personRowOf(in)
	if err != nil {
		return nil, err
	}
	row.ID = s.db.NewID(domain.PrefixPerson)
	err = s.db.WriteUnseen(transaction.WithoutKey(ctx), in.WorkspaceID, func(t *transaction.Tx) error {
		if err := personCeiling.Room(ctx, t, in.WorkspaceID); err != nil {
			return err
		}
		if _, err := t.Insert(ctx, personTable.Rows(row), " ON CONFLICT DO NOTHING"); err != nil {
			return err
		}
		return t.Get(ctx, &row, personByIdentity, in.WorkspaceID, in.Identity)
	})
	if err != nil {
		return nil, fmt.Errorf("create the person: %w", err)
	}
	return row.person()
}

// PeopleSeen records when people were last seen; an earlier time never replaces a later one. It locks only their own
// rows.
func (s *PersonStore) PeopleSeen(ctx context.Context, seen []people.PersonSeen) error {
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
		for _, p := range seen {
			_, err := t.Write(ctx, "UPDATE people SET last_seen_at = $3 WHERE workspace_id = $1 AND id = $2 AND last_seen_at < $3",
				p.WorkspaceID, p.PersonID, sqldb.At(p.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write when people were last seen: %w", err)
	}
	return nil
}

// People lists the people of a workspace who were not erased, newest first, with the number of their sessions and what they
// spent since an instant. The second result is the cursor of the next page, "" at the end.
func (s *PersonStore) People(ctx context.Context, workspace string, limit int, cursor string, since time.Time) (
	[]*people.PersonSummary, string, error,
) {
	before, err := sqldb.ReadCursor(cursor, domain.PrefixPerson)
	if err != nil {
		return nil, "", err
	}
	q := sqldb.NewQuery("SELECT "+personTable.Columns()+" FROM people WHERE workspace_id = ? AND erased_at IS NULL", workspace)
	if cursor != "" {
		q.Add(" AND id < ?", before.ID)
	}
	q.Add(" ORDER BY id DESC")
	rows, next, err := sqldb.ReadPage(ctx, s.db, q, limit, func(r *personRow) sqldb.Cursor { return sqldb.Cursor{ID: r.ID} })
	if err != nil {
		return nil, "", fmt.Errorf("list the people: %w", err)
	}
	all, err := transaction.Each(rows, (*personRow).person)
	if err != nil {
		return nil, "", err
	}
	summaries, err := s.summaries(ctx, workspace, all, since)
	return summaries, next, err
}

// Person returns one person who was not erased.
func (s *PersonStore) Person(ctx context.Context, workspace, id string) (*people.Person, error) {
	return personIn(ctx, s.db, workspace, id)
}

func personIn(ctx context.Context, r sqldb.Reader, workspace, id string) (*people.Person, error) {
	var row personRow
	err := r.Get(ctx, &row, "SELECT "+personTable.Columns()+" FROM people WHERE workspace_id = $1 AND id = $2 AND erased_at IS NULL",
		workspace, id)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("person")
	}
	if err != nil {
		return nil, fmt.Errorf("look up the person: %w", err)
	}
	return row.person()
}

// Summary returns one person as People does.
func (s *PersonStore) Summary(ctx context.Context, workspace, id string, since time.Time) (*people.PersonSummary, error) {
	p, err := s.Person(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	all, err := s.summaries(ctx, workspace, []*people.Person{p}, since)
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// summaries adds what the sessions of some people sum up to.
func (s *PersonStore) summaries(
	ctx context.Context, workspace string, all []*people.Person, since time.Time,
) ([]*people.PersonSummary, error) {
	out := make([]*people.PersonSummary, len(all))
	if len(all) == 0 {
		return out, nil
	}
	ids := make([]string, len(all))
	for i, p := range all {
		out[i], ids[i] = &people.PersonSummary{Person: *p}, p.ID
	}
	var counts []struct {
		Owner string `db:"owner"`
		Count int    `db:"count"`
	}
	owned, args := sqldb.InList(2, ids)
	err := s.db.All(ctx, &counts, "SELECT owner, COUNT(*) AS count FROM sessions WHERE workspace_id = $1 AND owner <> '' AND owner "+owned+
		" GROUP BY owner", append([]any{workspace}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("count the sessions of people: %w", err)
	}
	var sums []struct {
		Owner string   `db:"owner"`
		Cost  *float64 `db:"cost"`
	}
	owned, args = sqldb.InList(3, ids)
	err = s.db.All(ctx, &sums, "SELECT s.owner AS owner, SUM(r.cost) AS cost FROM sessions s JOIN roundtrips r ON r.workspace_id = s.workspace_id "+
		"AND r.session_id = s.id AND r.ended_at >= $2 WHERE s.workspace_id = $1 AND s.owner <> '' AND s.owner "+owned+" GROUP BY s.owner",
		append([]any{workspace, sqldb.At(since)}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("sum what people spent: %w", err)
	}
	for _, p := range out {
		for _, c := range counts {
			if c.Owner == p.ID {
				p.Sessions = c.Count
			}
		}
		for _, sum := range sums {
			if sum.Owner == p.ID {
				p.SpentThisMonth = sum.Cost
			}
		}
	}
	return out, nil
}

// UpdatePerson merges a patch into a person. check decides within the transaction whether it may.
func (s *PersonStore) UpdatePerson(
	ctx context.Context, workspace, id string, patch people.PersonPatch, check func(*people.Person) error,
) (*people.Person, error) {
	var p *people.Person
	err := s.db.Configure(ctx, workspace, func(t *transaction.Tx) error {
		var err error
		if p, err = personIn(ctx, t, workspace, id); err != nil {
			return err
		}
		if err := check(p); err != nil {
			return err
		}
		patch.Apply(p, s.db.Clock())
		row, err := personRowOf(p)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "UPDATE people SET renamed = $3, blocked_at = $4 WHERE workspace_id = $1 AND id = $2",
			workspace, id, row.Renamed, row.BlockedAt)
		return err
	})
	return p, err
}
