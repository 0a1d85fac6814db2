package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
	"github.com/fermata-dev/fermata/repository/internal/transaction"
	"github.com/fermata-dev/fermata/repository/outside"
)

var signInCeiling = transaction.Ceiling{Most: 10_000, Noun: "sign-ins", From: "sign_ins WHERE 1 = 1"}

// SignInStore stores the sign-ins of people's browsers.
type SignInStore struct{ db *transaction.DB }

type signInRow struct {
	WorkspaceID string      `db:"workspace_id"`
	ID          string      `db:"id"`
	Owner       string      `db:"owner"`
	Hash        string      `db:"hash"`
	Method      string      `db:"method"`
	Name        string      `db:"name"`
	Role        string      `db:"role"`
	Workspaces  string      `db:"workspaces"`
	Issuer      string      `db:"issuer"`
	KeyHash     string      `db:"key_hash"`
	Browser     string      `db:"browser"`
	CreatedAt   sqldb.Stamp `db:"created_at"`
	LastUsedAt  sqldb.Stamp `db:"last_used_at"`
	ExpiresAt   sqldb.Stamp `db:"expires_at"`
}

var signInTable = sqldb.NewTable[signInRow]("sign_ins")

func (r *signInRow) signIn() (*people.SignedIn, error) {
	s := &people.SignedIn{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Owner: r.Owner, Hash: r.Hash, Method: people.SignInMethod(r.Method),
		Name: r.Name, Role: domain.Role(r.Role), Issuer: r.Issuer, KeyHash: r.KeyHash, Browser: r.Browser,
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}
	if err := json.Unmarshal([]byte(r.Workspaces), &s.Workspaces); err != nil {
		return nil, fmt.Errorf("read the workspaces of sign-in %s: %w", r.ID, err)
	}
	return s, nil
}

// InsertSignIn stores a sign-in. If its owner has too many, the least recently used ones are
// deleted.
func (s *SignInStore) InsertSignIn(ctx context.Context, in *people.SignedIn) error {
	workspaces, err := json.Marshal(in.Workspaces)
	if err != nil {
		return fmt.Errorf("write the workspaces: %w", err)
	}
	return s.db.Configure(ctx, in.WorkspaceID, func(t *transaction.Tx) error {
		_, err := t.Write(ctx, "DELETE FROM sign_ins WHERE workspace_id = $1 AND id IN (SELECT o.id FROM sign_ins o "+
			"WHERE o.workspace_id = $1 AND o.owner = $2 ORDER BY o.last_used_at DESC LIMIT $3 OFFSET $4)",
			in.WorkspaceID, in.Owner, transaction.MaxPruned, people.MaxSignIns-1)
		if err != nil {
			return err
		}
		if err := signInCeiling.Room(ctx, t, in.WorkspaceID); err != nil {
			return err
		}
		_, err = t.Insert(ctx, signInTable.Rows(signInRow{
			WorkspaceID: in.WorkspaceID, ID: in.ID, Owner: in.Owner, Hash: in.Hash, Method: string(in.Method), Name: in.Name,
			Role: string(in.Role), Workspaces: string(workspaces), Issuer: in.Issuer, KeyHash: in.KeyHash, Browser: in.Browser,
			CreatedAt: sqldb.At(in.CreatedAt), LastUsedAt: sqldb.At(in.LastUsedAt), ExpiresAt: sqldb.At(in.ExpiresAt),
		}), "")
		return err
	})
}

// SignInByHash finds a sign-in in any workspace. It may have expired.
func (s *SignInStore) SignInByHash(ctx context.Context, hash string) (*people.SignedIn, error) {
	var row signInRow
	err := s.db.Get(ctx, &row, "SELECT "+signInTable.Columns()+" FROM sign_ins WHERE hash = $1", hash)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("sign-in")
	}
	if err != nil {
		return nil, fmt.Errorf("look up the sign-in: %w", err)
	}
	return row.signIn()
}

// SignIns lists an owner's sign-ins, most recently used first.
func (s *SignInStore) SignIns(ctx context.Context, workspace, owner string) ([]*people.SignedIn, error) {
	var rows []signInRow
	err := s.db.All(ctx, &rows, "SELECT "+signInTable.Columns()+" FROM sign_ins WHERE workspace_id = $1 AND owner = $2 "+
		"ORDER BY last_used_at DESC LIMIT $3", workspace, owner, people.MaxSignIns)
	if err != nil {
		return nil, fmt.Errorf("list the sign-ins: %w", err)
	}
	return transaction.Each(rows, (*signInRow).signIn)
}

// EndSignIn deletes one of an owner's sign-ins, and the push subscription of its browser.
func (s *SignInStore) EndSignIn(ctx context.Context, workspace, owner, id string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		err := t.WriteOne(ctx, domain.NotFound("sign-in"),
			"DELETE FROM sign_ins WHERE workspace_id = $1 AND id = $2 AND owner = $3", workspace, id, owner)
		if err != nil {
			return err
		}
		return outside.EndPushes(ctx, t, "sign_in = $1", id)
	})
}

// EndSignIns deletes all sign-ins of an owner, as EndSignIn does one.
func (s *SignInStore) EndSignIns(ctx context.Context, workspace, owner string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		err := outside.EndPushes(ctx, t, "sign_in IN (SELECT id FROM sign_ins WHERE workspace_id = $1 AND owner = $2)", workspace, owner)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "DELETE FROM sign_ins WHERE workspace_id = $1 AND owner = $2", workspace, owner)
		return err
	})
}

// SignInsUsed records when sign-ins were used last; an older time never replaces a newer one.
func (s *SignInStore) SignInsUsed(ctx context.Context, uses []people.SignInUse) error {
	err := s.db.Write(ctx, "", func(t *transaction.Tx) error {
		for _, u := range uses {
			_, err := t.Write(ctx, "UPDATE sign_ins SET last_used_at = $3 WHERE workspace_id = $1 AND id = $2 AND last_used_at < $3",
				u.WorkspaceID, u.SignInID, sqldb.At(u.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write when sign-ins were used: %w", err)
	}
	return nil
}

// PruneSignIns deletes sign-ins that have expired, or that were not used since an instant.
func (s *SignInStore) PruneSignIns(ctx context.Context, now, unused time.Time) error {
	var workspaces []string
	err := s.db.All(ctx, &workspaces, "SELECT DISTINCT workspace_id FROM sign_ins WHERE expires_at <= $1 OR last_used_at <= $2",
		sqldb.At(now), sqldb.At(unused))
	if err != nil {
		return fmt.Errorf("look for sign-ins that are over: %w", err)
	}
	for _, workspace := range workspaces {
		err := s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
			_, err := t.Write(ctx, "DELETE FROM sign_ins WHERE workspace_id = $1 AND (expires_at <= $2 OR last_used_at <= $3)",
				workspace, sqldb.At(now), sqldb.At(unused))
			return err
		})
		if err != nil {
			return fmt.Errorf("delete the sign-ins of workspace %s that are over: %w", workspace, err)
		}
	}
	return nil
}
