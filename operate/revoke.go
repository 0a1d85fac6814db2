package operate

import (
	"context"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/repository/maintenance"
)

// Revoked counts what a restore withdrew. A backup holds the keys and sign-ins of its time, those
// too that were revoked since: nothing in it says so.
type Revoked struct {
	Keys    int64 `json:"revoked_keys,omitempty"`
	SignIns int64 `json:"revoked_sign_ins,omitempty"`
}

// revokeIn revokes all API keys and sign-ins in a SQLite file that no other process uses.
func revokeIn(ctx context.Context, path string, schema int64, now time.Time) (done Revoked, err error) {
	err = maintenance.WriteSchema(ctx, path, schema, func(t *maintenance.Tx) error {
		var err error
		done, err = revokeAll(ctx, t, schema >= schemaOfSignIns, now)
		return err
	})
	return done, err
}

// schemaOfSignIns is the first schema that has the table sign_ins.
const schemaOfSignIns = 21

func revokeAll(ctx context.Context, t *maintenance.Tx, signIns bool, now time.Time) (done Revoked, err error) {
	if done.Keys, err = t.Write(ctx, "UPDATE keys SET revoked_at = $1 WHERE revoked_at IS NULL", now.UnixMicro()); err != nil {
		return done, fmt.Errorf("revoke the API keys: %w", err)
	}
	if !signIns {
		return done, nil
	}
	if done.SignIns, err = t.Write(ctx, "DELETE FROM sign_ins"); err != nil {
		return done, fmt.Errorf("end the sign-ins: %w", err)
	}
	return done, nil
}
