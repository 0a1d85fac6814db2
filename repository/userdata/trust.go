package userdata

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/fermata-dev/fermata/domain/trust"
	"github.com/fermata-dev/fermata/repository/internal/sqldb"
)

// trustColumns are the trust of a row, in every table of the user's data whose rows come into a prompt.
type trustColumns struct {
	Trust  string `db:"trust"`
	Detail string `db:"trust_detail"`
}

func trustOf(r trust.Record) trustColumns {
	own := trustColumns{Trust: string(r.Level)}
	if len(r.From)+len(r.Fields) > 0 || r.ConfirmedAt != nil {
		text, err := json.Marshal(r.Detail)
		if err != nil {
			panic(err) // texts and a time
		}
		own.Detail = string(text)
	}
	return own
}

// record is the trust of the row. A detail that cannot be read is left out: the level is what counts.
func (c *trustColumns) record() trust.Record {
	r := trust.Record{Level: trust.Level(c.Trust)}
	if c.Detail != "" && json.Unmarshal([]byte(c.Detail), &r.Detail) != nil {
		r.Detail = trust.Detail{}
	}
	return r
}

// entriesTrust returns the least trust of the entries of a tool, with the sources of one of them.
func entriesTrust(ctx context.Context, d *Data, toolID string) (trust.Record, error) {
	var row trustColumns
	err := d.r.Get(ctx, &row, "SELECT trust, trust_detail FROM entries WHERE workspace_id = $1 AND tool_id = $2 "+
		"AND trust = 'outside' AND deleted_at IS NULL LIMIT 1", d.workspace, toolID)
	if err != nil && !sqldb.NotFound(err) {
		return trust.Record{}, fmt.Errorf("read the trust of the entries: %w", err)
	}
	return row.record(), nil
}
