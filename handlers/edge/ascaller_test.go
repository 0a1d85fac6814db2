package edge

import (
	"context"

	"github.com/fermata-dev/fermata/auth"
)

// AsCaller is the context of a request that an identified caller makes.
func AsCaller(ctx context.Context, who *auth.Identity) context.Context {
	return &exchange{Context: ctx, Outcome: Outcome{who: who}}
}
