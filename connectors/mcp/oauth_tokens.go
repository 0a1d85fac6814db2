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
	"github.com/fermata-dev/fermata/internal/clock"
)

// cachedTokens is the grant as this node saw it last. A token that was rejected is not
// given again.
type cachedTokens struct {
	mu       sync.Mutex
	grant    Grant
	known    bool
	rejected string
	early    time.Duration // how long before its end a token is replaced
}

func (c *cachedTokens) set(g Grant) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.grant, c.known = g, true
	// Nodes do not all refresh in the same moment.
	c.early = time.Minute + rand.N(30*time.Second)
}

// good gives the token, if it can be used still.
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

// Rejected: the server did not take this token, or (with a scope) wants one that allows
// more, which the next sign-in asks for.
func (o *OAuth) Rejected(ctx context.Context, token, scope string) {
	if scope == "" {
		o.tokens.mu.Lock()
		o.tokens.rejected = token
		o.tokens.mu.Unlock()
		return
	}
	// If it cannot be stored now, it is when it is missed again.
	_, _ = o.change(ctx, func(grant *Grant) error {
		wanted := union(grant.Wanted, scope)
		if wanted == grant.Wanted || len(wanted) > maxScope {
			return errNoNews
		}
		grant.Wanted = wanted
		return nil
	})
}

var errNoNews = errors.New("nothing is to be stored")

const maxScope = 4 << 10

// invalidGrant is what an authorization server says of a token that it has taken back.
const invalidGrant = "invalid_grant"

var errNobody = errors.New("nobody has signed in")

// Token gives the token, refreshed where it ends soon: once, however many ask for it.
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

// reload looks at what other nodes stored.
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
	// claimTime is for how long other nodes leave a grant alone that is being renewed: for
	// longer than the renewal takes.
	claimTime = 2 * DefaultTimeout
	// lookAgain is how often they look whether it is.
	lookAgain = 50 * time.Millisecond
)

// refresh renews the grant, or waits for the node that does: a server that rotates may take
// everything back from who brings an old token.
func (o *OAuth) refresh(ctx context.Context) (string, error) {
	for {
		grant := o.tokens.last()
		if grant.Refresh == "" || grant.Resource != o.URL {
			return "", errNobody
		}
		mine, err := o.Store.Claim(ctx, grant, claimTime)
		switch {
		case err != nil:
			return "", notSent("The sign-in could not be read.", err)
		case mine:
			return o.renew(ctx, grant)
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return "", &domain.OutsideError{Fault: domain.FaultNotSent, Message: "The sign-in is being renewed.", Temporary: true, Cause: ctx.Err()}
		}
		if token, ok, err := o.reload(ctx); err != nil || ok {
			return token, err
		}
	}
}

// renew is never cut in its middle by a call that gives up: a server that rotates has then
// taken the old token back, and the new one must be stored.
func (o *OAuth) renew(ctx context.Context, grant Grant) (string, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), DefaultTimeout)
	defer cancel()
	expired := &oauth2.Token{RefreshToken: grant.Refresh}
	token, err := grant.Client.config(grant.Endpoint, "").TokenSource(o.with(ctx), expired).Token()
	if err != nil {
		return o.refused(ctx, grant, err)
	}
	fresh, err := o.change(ctx, func(now *Grant) error {
		if now.Refresh != grant.Refresh {
			return errNoNews // a person has signed in anew meanwhile
		}
		now.take(token)
		return nil
	})
	if err != nil && !errors.Is(err, errNoNews) {
		return "", notSent("The sign-in could not be stored.", err)
	}
	o.tokens.set(fresh)
	return fresh.Access, nil
}

// refused gives the claim back. A server that cannot be reached is no reason to ask a
// person; one that does not know the token any more is, and is not asked again.
func (o *OAuth) refused(ctx context.Context, used Grant, err error) (string, error) {
	e, answered := errors.AsType[*tokenError](ofToken(err))
	_, _ = o.change(ctx, func(now *Grant) error { // else the claim ends by itself
		if now.Refresh != used.Refresh {
			return errNoNews
		}
		if answered && e.code == invalidGrant {
			now.Access, now.Refresh = "", ""
		}
		return nil
	})
	if !answered || e.status >= 500 || e.status == 429 {
		return "", &domain.OutsideError{Fault: domain.FaultNotSent, Message: "The sign-in could not be renewed now.", Temporary: true, Cause: ofToken(err)}
	}
	token, ok, loadErr := o.reload(ctx)
	if loadErr != nil {
		return "", loadErr
	}
	if ok && token != used.Access {
		return token, nil
	}
	return "", fmt.Errorf("the sign-in cannot be renewed: %w", e)
}
