package handlers

import (
	"context"

	"github.com/fermata-dev/fermata/auth"
)

// asCaller is the context of a request that an identified caller makes.
func asCaller(ctx context.Context, who *auth.Identity) context.Context {
	return &exchange{Context: ctx, outcome: outcome{who: who}}
}
