package api

import (
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/domain/outside"
)

// PushSubscriptionFrom encodes a push subscription for its owner. Of the endpoint, which is a secret, only the name of
// the service is included.
func PushSubscriptionFrom(p *outside.Push) *PushSubscription {
	out := &PushSubscription{
		ID: p.ID, Name: p.Label, Language: PushSubscriptionLanguage(p.Language),
		CreatedAt: Time(p.CreatedAt), ExpiresAt: timePtr(p.HoldsUntil),
		LastDeliveredAt: timePtr(p.LastDeliveredAt), Failing: p.FailingSince != nil, FailingSince: timePtr(p.FailingSince),
	}
	if u, err := url.Parse(p.URL); err == nil {
		out.EndpointOrigin = u.Scheme + "://" + u.Host
	}
	return out
}

// Domain is the subscription that a browser gave.
func (in *NewPushSubscriptionInput) Domain() outside.NewPush {
	out := outside.NewPush{
		Endpoint: in.Endpoint, P256dh: in.Keys.P256dh, Auth: in.Keys.Auth, Name: Value(in.Name), Language: Value(in.Language),
	}
	if ms, err := in.ExpirationTime.Get(); err == nil {
		out.ExpiresAt = new(time.UnixMilli(int64(ms)))
	}
	return out
}
