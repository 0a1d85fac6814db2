package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/connectors"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// ourName is the client name on the consent page.
const ourName = "Fermata"

// oauthOf returns the sign-in of a connector with "auth": "oauth".
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

// signer adapts an OAuth to connectors.SignIner.
type signer struct{ oauth *OAuth }

// Begin returns the authorization URL.
func (s signer) Begin(ctx context.Context, redirect, state string) (address string, until time.Time, err error) {
	if s.oauth.ClientSecret != "" && s.oauth.Issuer == "" {
		return "", time.Time{}, cannot("a client_secret is only sent to one authorization server: also enter its URL as issuer", nil)
	}
	address, _, err = s.oauth.Begin(ctx, redirect, state)
	return address, clock.System().Add(signInTime), err
}

// Finish redeems the code, or records why there is none.
func (s signer) Finish(ctx context.Context, answer outside.SignInAnswer) error {
	if answer.Code == "" {
		if err := s.oauth.Abandon(ctx, answer.State); err != nil {
			return err
		}
		return fmt.Errorf("%w: %s", errDeclined, cut(firstOf(answer.Error, "no code was returned"), MaxNameBytes))
	}
	return s.oauth.Finish(ctx, answer.Code, answer.State, answer.Issuer)
}

var errDeclined = fmt.Errorf("the sign-in was declined")

// sealedGrants stores grants in the database.
type sealedGrants struct{ store *connectors.GrantStore }

// Load returns the grant, or an empty one.
func (s sealedGrants) Load(ctx context.Context) (Grant, error) {
	text, version, err := s.store.Load(ctx)
	grant := Grant{}
	if err == nil && text != "" {
		err = exactjson.Unmarshal([]byte(text), &grant)
	}
	grant.Version = version
	return grant, err
}

// Save stores the grant. A pending sign-in can be found by its state.
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

// Claim acquires the right to refresh the grant.
func (s sealedGrants) Claim(ctx context.Context, grant Grant, within time.Duration) (bool, error) {
	return s.store.Claim(ctx, grant.Version, within)
}
