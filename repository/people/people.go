package people

import (
	"context"
	"fmt"

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
