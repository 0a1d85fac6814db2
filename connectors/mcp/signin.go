package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// ourName is on the page on which a person agrees.
const ourName = "Fermata"

// oauthOf is the sign-in of a connector whose config says "oauth".
func oauthOf(own entered, opening connectors.Opening) *OAuth {
	return NewOAuth(OAuthConfig{
		URL: own.URL, Client: opening.Client, Store: sealedGrants{opening.Grants}, Name: ourName,
		ClientID: own.ClientID, ClientSecret: own.ClientSecret, Issuer: own.Issuer,
	})
}

func (o KindOptions) signIn(opening connectors.Opening) (connectors.SignIner, error) {
	own, _, err := readConfig(opening.Connector.Config)
	if err != nil || own.Auth != "oauth" {
		return nil, err
	}
	return signer{oauthOf(own, opening)}, nil
}

// signer is an OAuth as a connector's person meets it.
type signer struct{ oauth *OAuth }

// Begin gives the address of the authorization server's page.
func (s signer) Begin(ctx context.Context, redirect, state string) (address string, until time.Time, err error) {
	if s.oauth.ClientSecret != "" && s.oauth.Issuer == "" {
		return "", time.Time{}, cannot("a client_secret goes to one authorization server only: enter the address of that server as issuer beside it", nil)
	}
	address, _, err = s.oauth.Begin(ctx, redirect, state)
	return address, clock.System().Add(signInTime), err
}

// Finish takes the code that the person brings, or the reason why they bring none.
func (s signer) Finish(ctx context.Context, answer domain.SignInAnswer) error {
	if answer.Code == "" {
		if err := s.oauth.Abandon(ctx, answer.State); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", errDeclined, cut(firstOf(answer.Error, "no code came"), MaxNameBytes))
	}
	return s.oauth.Finish(ctx, answer.Code, answer.State, answer.Issuer)
}

var errDeclined = fmt.Errorf("the sign-in was not given")

// sealedGrants are grants in the database.
type sealedGrants struct{ store *connectors.GrantStore }

// Load reads the grant; one that nobody began is empty.
func (s sealedGrants) Load(ctx context.Context) (Grant, error) {
	text, version, err := s.store.Load(ctx)
	grant := Grant{}
	if err == nil && text != "" {
		err = exactjson.Unmarshal([]byte(text), &grant)
	}
	grant.Version = version
	return grant, err
}

// Save stores it, found by the state of a sign-in that goes on.
func (s sealedGrants) Save(ctx context.Context, grant Grant) error {
	text, err := json.Marshal(grant) //nolint:gosec // what is stored is sealed
	if err != nil {
		return err
	}
	state := ""
	if grant.Begun != nil {
		state = grant.Begun.State
	}
	return s.store.Save(ctx, string(text), state, grant.Version)
}

// Claim takes the right to renew it.
func (s sealedGrants) Claim(ctx context.Context, grant Grant, within time.Duration) (bool, error) {
	return s.store.Claim(ctx, grant.Version, within)
}
