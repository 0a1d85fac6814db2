package app

import (
	"cmp"
	"context"
	"net/http"

	"github.com/fermata-dev/fermata/handlers/edge"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/repository/requests"
)

// requestKeys adapts the repository's idempotency keys to the handlers, which store an answer as one
// text.
type requestKeys struct {
	store *requests.RequestStore
	clock clock.Clock
}

func (k requestKeys) ClaimKey(ctx context.Context, workspace string, key edge.KeyRequest) (context.Context, *edge.KeyClaim, error) {
	state, kept, err := k.store.BeginIdempotent(ctx, workspace,
		requests.IdempotentRequest{
			Key: key.Name, Former: key.Former, Hash: key.Fingerprint, Owner: key.Owner, MaxKeys: key.MaxKeys,
		}, k.clock())
	if err != nil {
		return ctx, nil, err
	}
	claim := &edge.KeyClaim{State: state}
	if kept != nil {
		claim.Name, claim.Answer, claim.CreatedID, claim.Seq = kept.Key, kept.Body, kept.CreatedID, kept.Seq
	}
	return requests.WithIdempotencyKey(ctx, workspace, cmp.Or(claim.Name, key.Name)), claim, nil
}

func (k requestKeys) KeepAnswer(ctx context.Context, workspace, key string, answer []byte) error {
	return k.store.FinishIdempotent(ctx, workspace, key, http.StatusOK, answer, nil)
}

func (k requestKeys) KeepRefusal(ctx context.Context, workspace, key string, answer []byte) error {
	return k.store.RefuseIdempotent(ctx, workspace, key, http.StatusOK, answer)
}

func (k requestKeys) ReleaseKey(ctx context.Context, workspace, key string) error {
	return k.store.AbandonIdempotent(ctx, workspace, key)
}
