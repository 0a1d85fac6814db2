package api

import (
	"slices"

	"github.com/fermata-dev/fermata/domain/trust"
)

// TrustFrom is the trust of a row as clients see it.
func TrustFrom(r trust.Record) Trust {
	out := Trust{Level: TrustLevel(r.Level.String()), ConfirmedBy: textPtr(r.ConfirmedBy), ConfirmedAt: timePtr(r.ConfirmedAt)}
	if len(r.From) > 0 {
		out.From = new(slices.Clone(r.From))
	}
	if len(r.Fields) > 0 {
		out.Fields = new(slices.Clone(r.Fields))
	}
	return out
}
