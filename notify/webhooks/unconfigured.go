package webhooks

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
)

// Unconfigured is the carrier of a channel that the operator has not configured.
type Unconfigured struct{}

// Carry implements Carrier.
func (Unconfigured) Carry(context.Context, *outside.Webhook, string, string, *domain.LogEvent) Outcome {
	return Outcome{Result: Unreachable, Detail: "this channel is not configured on this server"}
}
