package mcp

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
)

// cachedTokens caches the grant on this node. A rejected token is not returned again.
type cachedTokens struct {
	mu       sync.Mutex
	grant    Grant
	known    bool
	rejected string
	early    time.Duration // how long before expiry a token is refreshed
}

func (c *cachedTokens) set(g Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grant, c.known = g, true
	// The jitter avoids simultaneous refreshes on all nodes.
	c.early = time.Minute + rand.N(30*time.Second)
}

// good returns the token if it is still valid.
func (c *cachedTokens) good(url string) (string, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.grant
	fresh := g.Expires.IsZero() || clock.System().Before(g.Expires.Add(-c.early))
	return g.Access, c.known && g.Access != "" && g.Access != c.rejected && g.Resource == url && fresh
}

func (c *cachedTokens) last() Grant {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.grant
}

// Rejected marks a token that the server did not accept or, with a scope, one that lacks it; the
// next sign-in requests the scope.
func (o *OAuth) Rejected(ctx context.Context, token, scope string) {
	if scope == "" {
		o.tokens.mu.Lock()
		o.tokens.rejected = token
		o.tokens.mu.Unlock()
		return
	}
	// On an error, it is stored the next time the scope is missing.
	_, _ = o.change(ctx, func(grant *Grant) error {
		wanted := union(grant.Wanted, scope)
		if wanted == grant.Wanted || len(wanted) > maxScope {
			return errUnchanged
		}
		grant.Wanted = wanted
		return nil
	})
}

var errUnchanged = errors.New("nothing to store")

const maxScope = 4 << 10

// invalidGrant is the error code for a revoked refresh token.
const invalidGrant = "invalid_grant"

var errNotSignedIn = errors.New("not signed in")

// Token returns the access token, refreshed shortly before its expiry. Concurrent calls refresh
// once.
func (o *OAuth) Token(ctx context.Context) (string, error) {
	if token, ok := o.tokens.good(o.URL); ok {
		return token, nil
	}
	select {
	case <-o.refreshing:
	case <-ctx.Done():
		return "", unreachable(ctx, ctx.Err(), false)
	}
	defer func() { o.refreshing <- struct{}{} }()
	if token, ok := o.tokens.good(o.URL); ok {
		return token, nil
	}
	if token, ok, err := o.reload(ctx); err != nil || ok {
		return token, err
	}
	return o.refresh(ctx)
}

// reload reads what other nodes have stored.
func (o *OAuth) reload(ctx context.Context) (string, bool, error) {
	grant, err := o.Store.Load(ctx)
	if err != nil {
		return "", false, notSent("The sign-in could not be read.", err)
	}
	o.tokens.set(grant)
	token, ok := o.tokens.good(o.URL)
	return token, ok, nil
}

const (
	// claimTime bounds how long other nodes wait for a refresh; it is longer than a refresh takes.
	claimTime = 2 * domain.CallTimeout
	// claimPoll is their polling interval.
	claimPoll = 50 * time.Millisecond
)

// refresh refreshes the token, or waits for the node that does: a server with rotation may revoke
// everything if an old refresh token is used.
func (o *OAuth) refresh(ctx context.Context) (string, error) {
	for {
		grant := o.tokens.last()
		if grant.Refresh == "" || grant.Resource != o.URL {
			return "", errNotSignedIn
		}
		mine, err := o.Store.Claim(ctx, grant, claimTime)
		switch {
		case err != nil:
			return "", notSent("The sign-in could not be read.", err)
		case mine:
			return o.renew(ctx, grant)
		}
		select {
		case <-time.After(claimPoll):
		case <-ctx.Done():
			return "", &outside.Error{Fault: outside.FaultNotSent, Message: "The sign-in is being refreshed.", Temporary: true, Cause: ctx.Err()}
		}
		if token, ok, err := o.reload(ctx); err != nil || ok {
			return token, err
		}
	}
}

// renew is not cancelled with the call: a server with rotation may already have revoked the old
// token, and the new one must be stored.
func (o *OAuth) renew(ctx context.Context, grant Grant) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), domain.CallTimeout)
	defer cancel()
	expired := &oauth2.Token{RefreshToken: grant.Refresh}
	token, err := grant.Client.config(grant.Endpoint, "").TokenSource(o.with(ctx), expired).Token()
	if err != nil {
		return o.refused(ctx, grant, err)
	}
	fresh, err := o.change(ctx, func(now *Grant) error {
		if now.Refresh != grant.Refresh {
			return errUnchanged // a new sign-in happened meanwhile
		}
		now.take(token)
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return "", notSent("The sign-in could not be stored.", err)
	}
	o.tokens.set(fresh)
	return fresh.Access, nil
}

// refused releases the claim. An unreachable server does not require a new sign-in; a revoked token
// does and is not tried again.
func (o *OAuth) refused(ctx context.Context, used Grant, err error) (string, error) {
	e, answered := errors.AsType[*tokenError](ofToken(err))
	_, _ = o.change(ctx, func(now *Grant) error { // on an error the claim expires
		if now.Refresh != used.Refresh {
			return errUnchanged
		}
		if answered && e.code == invalidGrant {
			now.Access, now.Refresh = "", ""
		}
		return nil
	})
	if !answered || e.status >= 500 || e.status == 429 {
		return "", &outside.Error{Fault: outside.FaultNotSent, Message: "The sign-in could not be refreshed.", Temporary: true, Cause: ofToken(err)}
	}
	token, ok, loadErr := o.reload(ctx)
	if loadErr != nil {
		return "", loadErr
	}
	if ok && token != used.Access {
		return token, nil
	}
	return "", fmt.Errorf("the sign-in cannot be refreshed: %w", e)
}
