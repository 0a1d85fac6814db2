package repository

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// SignInStore keeps the browsers that people signed in with.
type SignInStore struct{ *base }

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

func (r *signInRow) signIn() (*domain.SignedIn, error) {
	s := &domain.SignedIn{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Owner: r.Owner, Hash: r.Hash, Method: domain.SignInMethod(r.Method),
		Name: r.Name, Role: domain.Role(r.Role), Issuer: r.Issuer, KeyHash: r.KeyHash, Browser: r.Browser,
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Time, ExpiresAt: r.ExpiresAt.Time,
	}
	if err := json.Unmarshal([]byte(r.Workspaces), &s.Workspaces); err != nil {
		return nil, fmt.Errorf("read the workspaces of sign-in %s: %w", r.ID, err)
	}
	return s, nil
}

// InsertSignIn keeps a sign-in. Those of its owner that were used longest ago go where there
// are too many.
func (s *SignInStore) InsertSignIn(ctx context.Context, in *domain.SignedIn) error {
	workspaces, err := json.Marshal(in.Workspaces)
	if err != nil {
		return fmt.Errorf("write the workspaces: %w", err)
	}
	return s.configure(ctx, in.WorkspaceID, func(t *tx) error {
		_, err := t.Write(ctx, "DELETE FROM sign_ins WHERE workspace_id = $1 AND id IN (SELECT o.id FROM sign_ins o "+
			"WHERE o.workspace_id = $1 AND o.owner = $2 ORDER BY o.last_used_at DESC LIMIT $3 OFFSET $4)",
			in.WorkspaceID, in.Owner, maxPruned, domain.MaxSignIns-1)
		if err != nil {
			return err
		}
		if err := signInCeiling.room(ctx, t, in.WorkspaceID); err != nil {
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

// SignInByHash finds a sign-in, of whatever workspace; its time may be over.
func (s *SignInStore) SignInByHash(ctx context.Context, hash string) (*domain.SignedIn, error) {
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

// SignIns lists those of an owner, the one that was used last first.
func (s *SignInStore) SignIns(ctx context.Context, workspace, owner string) ([]*domain.SignedIn, error) {
	var rows []signInRow
	err := s.db.All(ctx, &rows, "SELECT "+signInTable.Columns()+" FROM sign_ins WHERE workspace_id = $1 AND owner = $2 "+
		"ORDER BY last_used_at DESC LIMIT $3", workspace, owner, domain.MaxSignIns)
	if err != nil {
		return nil, fmt.Errorf("list the sign-ins: %w", err)
	}
	return each(rows, (*signInRow).signIn)
}

// EndSignIn ends one of an owner's, and has nobody told any more at the browser that it was of.
func (s *SignInStore) EndSignIn(ctx context.Context, workspace, owner, id string) error {
	return s.writeUnseen(ctx, workspace, func(t *tx) error {
		err := t.WriteOne(ctx, domain.NotFound("sign-in"),
			"DELETE FROM sign_ins WHERE workspace_id = $1 AND id = $2 AND owner = $3", workspace, id, owner)
		if err != nil {
			return err
		}
		return endPushes(ctx, t, "sign_in = $1", id)
	})
}

// EndSignIns ends all of an owner's, as EndSignIn does one.
func (s *SignInStore) EndSignIns(ctx context.Context, workspace, owner string) error {
	return s.writeUnseen(ctx, workspace, func(t *tx) error {
		err := endPushes(ctx, t, "sign_in IN (SELECT id FROM sign_ins WHERE workspace_id = $1 AND owner = $2)", workspace, owner)
		if err != nil {
			return err
		}
		_, err = t.Write(ctx, "DELETE FROM sign_ins WHERE workspace_id = $1 AND owner = $2", workspace, owner)
		return err
	})
}

// SignInsUsed writes when sign-ins were used last; no time goes back.
func (s *SignInStore) SignInsUsed(ctx context.Context, uses []domain.SignInUse) error {
	err := s.write(ctx, "", func(t *tx) error {
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

// PruneSignIns deletes those whose time is over, or that were not used since an instant.
func (s *SignInStore) PruneSignIns(ctx context.Context, now, unused time.Time) error {
	var workspaces []string
	err := s.db.All(ctx, &workspaces, "SELECT DISTINCT workspace_id FROM sign_ins WHERE expires_at <= $1 OR last_used_at <= $2",
		sqldb.At(now), sqldb.At(unused))
	if err != nil {
		return fmt.Errorf("look for sign-ins that are over: %w", err)
	}
	for _, workspace := range workspaces {
		err := s.writeUnseen(ctx, workspace, func(t *tx) error {
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
