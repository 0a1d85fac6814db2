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

var passkeyCeiling = transaction.Ceiling{Most: 10_000, Noun: "registrations of passkeys", From: "passkey_registrations WHERE 1 = 1"}

// passkeyStore stores passkeys.
type passkeyStore struct{ db *transaction.DB }

type passkeyRow struct {
	WorkspaceID  string      `db:"workspace_id"`
	ID           string      `db:"id"`
	Owner        string      `db:"owner"`
	Name         string      `db:"name"`
	CredentialID string      `db:"credential_id"`
	Credential   string      `db:"credential"`
	SignCount    int64       `db:"sign_count"`
	CreatedAt    sqldb.Stamp `db:"created_at"`
	LastUsedAt   sqldb.Stamp `db:"last_used_at"`
	RevokedAt    sqldb.Stamp `db:"revoked_at"`
}

type passkeyRegistrationRow struct {
	WorkspaceID string      `db:"workspace_id,key"`
	Owner       string      `db:"owner,key"`
	Challenge   string      `db:"challenge"`
	ExpiresAt   sqldb.Stamp `db:"expires_at"`
}

var (
	passkeyTable             = sqldb.NewTable[passkeyRow]("passkeys")
	passkeyRegistrationTable = sqldb.NewTable[passkeyRegistrationRow]("passkey_registrations")
	registrationUpsert       = passkeyRegistrationTable.Upsert("")
)

func (r *passkeyRow) passkey() (*people.Passkey, error) {
	return &people.Passkey{
		ID: r.ID, WorkspaceID: r.WorkspaceID, Owner: r.Owner, Name: r.Name, CredentialID: r.CredentialID,
		Credential: sqldb.RawJSON(r.Credential), SignCount: uint32(r.SignCount),
		CreatedAt: r.CreatedAt.Time, LastUsedAt: r.LastUsedAt.Ptr(), RevokedAt: r.RevokedAt.Ptr(),
	}, nil
}

// Passkeys lists an owner's passkeys, oldest first, revoked ones included.
func (s *passkeyStore) Passkeys(ctx context.Context, workspace, owner string) ([]*people.Passkey, error) {
	var rows []passkeyRow
	err := s.db.All(ctx, &rows, "SELECT "+passkeyTable.Columns()+" FROM passkeys WHERE workspace_id = $1 AND owner = $2 "+
		"ORDER BY created_at, id", workspace, owner)
	if err != nil {
		return nil, fmt.Errorf("list the passkeys: %w", err)
	}
	return transaction.Each(rows, (*passkeyRow).passkey)
}

// BeginPasskey stores a registration and replaces the owner's previous unfinished one.
func (s *passkeyStore) BeginPasskey(ctx context.Context, r *people.PasskeyRegistration) error {
	return s.db.WriteUnseen(ctx, r.WorkspaceID, func(t *transaction.Tx) error {
		if _, err := t.Write(ctx, "DELETE FROM passkey_registrations WHERE workspace_id = $1 AND expires_at <= $2",
			r.WorkspaceID, sqldb.At(s.db.Clock())); err != nil {
			return fmt.Errorf("delete expired registrations: %w", err)
		}
		if err := passkeyCeiling.Room(ctx, t, r.WorkspaceID); err != nil {
			return err
		}
		_, err := t.Insert(ctx, passkeyRegistrationTable.Rows(passkeyRegistrationRow{
			WorkspaceID: r.WorkspaceID, Owner: r.Owner, Challenge: r.Challenge, ExpiresAt: sqldb.At(r.ExpiresAt),
		}), registrationUpsert)
		return err
	})
}

// PasskeyRegistration returns the unfinished registration of an owner.
func (s *passkeyStore) PasskeyRegistration(ctx context.Context, workspace, owner string) (*people.PasskeyRegistration, error) {
	var row passkeyRegistrationRow
	err := s.db.Get(ctx, &row, "SELECT "+passkeyRegistrationTable.Columns()+" FROM passkey_registrations "+
		"WHERE workspace_id = $1 AND owner = $2", workspace, owner)
	if sqldb.NotFound(err) {
		return nil, domain.NotFound("registration of a passkey")
	}
	if err != nil {
		return nil, fmt.Errorf("read the registration: %w", err)
	}
	return &people.PasskeyRegistration{
		WorkspaceID: row.WorkspaceID, Owner: row.Owner, Challenge: row.Challenge, ExpiresAt: row.ExpiresAt.Time,
	}, nil
}

// InsertPasskey finishes the registration with this challenge, and records the use of the passkey
// that confirmed it. known is the number of passkeys that the owner was seen to have: if another
// one was added since, nothing is written.
func (s *passkeyStore) InsertPasskey(
	ctx context.Context, p *people.Passkey, challenge string, known int, use *domain.PasskeyUse,
) error {
	return s.db.Configure(ctx, p.WorkspaceID, func(t *transaction.Tx) error {
		err := t.WriteOne(ctx, domain.NotFound("registration of a passkey"),
			"DELETE FROM passkey_registrations WHERE workspace_id = $1 AND owner = $2 AND challenge = $3",
			p.WorkspaceID, p.Owner, challenge)
		if err != nil {
			return err
		}
		var have int
		err = t.Get(ctx, &have, "SELECT count(*) FROM passkeys WHERE workspace_id = $1 AND owner = $2", p.WorkspaceID, p.Owner)
		if err != nil {
			return fmt.Errorf("count the passkeys: %w", err)
		}
		if have != known {
			return domain.NotFound("registration of a passkey")
		}
		if use != nil {
			if err := WritePasskeyUses(ctx, t, []domain.PasskeyUse{*use}); err != nil {
				return err
			}
		}
		n, err := t.Insert(ctx, passkeyTable.Rows(passkeyRow{
			WorkspaceID: p.WorkspaceID, ID: p.ID, Owner: p.Owner, Name: p.Name, CredentialID: p.CredentialID,
			Credential: string(p.Credential), SignCount: int64(p.SignCount), CreatedAt: sqldb.At(p.CreatedAt),
		}), " ON CONFLICT DO NOTHING")
		if err == nil && n == 0 {
			err = domain.Errorf(domain.CodeConflict, "This passkey is registered in the workspace already. Nothing was changed.")
		}
		return err
	})
}

// RevokePasskey revokes one of an owner's passkeys.
func (s *passkeyStore) RevokePasskey(ctx context.Context, workspace, owner, id string, at time.Time) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		return t.WriteOne(ctx, domain.NotFound("passkey"),
			"UPDATE passkeys SET revoked_at = $4 WHERE workspace_id = $1 AND id = $2 AND owner = $3 AND revoked_at IS NULL",
			workspace, id, owner, sqldb.At(at))
	})
}

// ForgetPasskeys deletes all passkeys of an owner, who can then register as if they never had one.
func (s *passkeyStore) ForgetPasskeys(ctx context.Context, workspace, owner string) error {
	return s.db.WriteUnseen(ctx, workspace, func(t *transaction.Tx) error {
		n, err := t.Write(ctx, "DELETE FROM passkeys WHERE workspace_id = $1 AND owner = $2", workspace, owner)
		if err == nil && n == 0 {
			err = domain.NotFound("person with passkeys")
		}
		return err
	})
}

// WritePasskeyUses records the signatures of passkeys, provided each is still valid and has signed
// nothing later: of two requests with the same signature only one succeeds.
func WritePasskeyUses(ctx context.Context, t *transaction.Tx, uses []domain.PasskeyUse) error {
	for _, u := range uses {
		err := t.WriteOne(ctx, people.PasskeyWrong("used", "This passkey was used for something else meanwhile, or taken back."),
			"UPDATE passkeys SET sign_count = $3, last_used_at = $4 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL "+
				"AND (sign_count < $3 OR sign_count = 0 AND $3 = 0)", u.WorkspaceID, u.PasskeyID, int64(u.SignCount), sqldb.At(u.At))
		if err != nil {
			return err
		}
	}
	return nil
}
