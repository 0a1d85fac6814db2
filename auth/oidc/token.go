package oidc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

const (
	maxToken = 16 << 10
	// leeway is how far the issuer's clock may be from ours.
	leeway = time.Minute
)

// claims are those of a token that mean something to us.
type claims struct {
	Issuer    string          `json:"iss"`
	Subject   string          `json:"sub"`
	Audience  audience        `json:"aud"`
	Expires   *seconds        `json:"exp"`
	NotBefore *seconds        `json:"nbf"`
	Issued    *seconds        `json:"iat"`
	Nonce     string          `json:"nonce"`
	Party     string          `json:"azp"`
	Name      string          `json:"name"`
	Preferred string          `json:"preferred_username"`
	Email     string          `json:"email"`
	all       json.RawMessage // what was signed: for the claims that the operator names
}

// audience is one name, or several.
type audience []string

func (a *audience) UnmarshalJSON(b []byte) error {
	var one string
	if exactjson.Unmarshal(b, &one) == nil {
		*a = audience{one}
		return nil
	}
	var many []string
	if err := exactjson.Unmarshal(b, &many); err != nil {
		return fmt.Errorf("aud: %w", err)
	}
	*a = many
	return nil
}

// seconds is a time as tokens have it: since 1970, perhaps with a fraction.
type seconds struct{ time.Time }

func (s *seconds) UnmarshalJSON(b []byte) error {
	const latest = 253402300799 // the end of the year 9999
	var n float64
	if err := exactjson.Unmarshal(b, &n); err != nil || n < 0 || n > latest {
		return errors.New("a time in it is none")
	}
	s.Time = time.Unix(int64(n), 0).UTC()
	return nil
}

func invalid(format string, args ...any) error {
	return domain.Errorf(domain.CodeTokenInvalid, "The issuer's token is refused: "+format+".", args...)
}

// verify reads a token of the issuer that is for one of whom.
func (p *Party) verify(ctx context.Context, keys *keySet, token, whom string) (*claims, error) {
	if len(token) > maxToken {
		return nil, invalid("it is longer than %d bytes", maxToken)
	}
	payload, err := keys.verify(ctx, token)
	if err != nil {
		return nil, p.unverified(token, err)
	}
	c := &claims{all: payload}
	if err := exactjson.Unmarshal(payload, c); err != nil {
		return nil, invalid("its claims cannot be read")
	}
	switch {
	case c.Issuer != p.config.Issuer:
		return nil, invalid("it was issued by %q, and this server trusts %q", cut(c.Issuer), p.config.Issuer)
	case !slices.Contains(c.Audience, whom):
		return nil, invalid("it is for %q (aud), and not for this server (%q)", cut(strings.Join(c.Audience, ", ")), whom)
	case c.Subject == "" || len(c.Subject) > 255:
		return nil, invalid("it has no valid subject (sub)")
	}
	return c, c.checkTimes(p.config.Clock())
}

// checkTimes says by how much a token is late or early: a clock that is wrong shows there.
func (c *claims) checkTimes(now time.Time) error {
	const clocks = " Sign in again; if that does not help, compare the clocks of this server and of the issuer."
	round := func(d time.Duration) string { return d.Round(time.Second).String() }
	switch {
	case c.Expires == nil:
		return invalid("it does not say when it ends (exp)")
	case !now.Before(c.Expires.Add(leeway)):
		return domain.Errorf(domain.CodeTokenExpired, "The issuer's token ended %s ago, by this server's clock (%s).%s",
			round(now.Sub(c.Expires.Time)), now.UTC().Format(time.RFC3339), clocks)
	case c.NotBefore != nil && now.Add(leeway).Before(c.NotBefore.Time):
		return domain.Errorf(domain.CodeTokenEarly, "The issuer's token is good in %s only, by this server's clock (%s).%s",
			round(c.NotBefore.Sub(now)), now.UTC().Format(time.RFC3339), clocks)
	case c.Issued != nil && now.Add(leeway).Before(c.Issued.Time):
		return domain.Errorf(domain.CodeTokenEarly, "The issuer's token was issued %s in the future, by this server's clock (%s).%s",
			round(c.Issued.Sub(now)), now.UTC().Format(time.RFC3339), clocks)
	}
	return nil
}

// unverified says why a token was not believed. What the library reports is for the log.
func (p *Party) unverified(token string, err error) error {
	why := "it is no signed token (JWT)"
	switch {
	case errors.Is(err, errKeys):
		return &domain.Error{
			Code:    domain.CodeIssuerUnavailable,
			Message: "The keys of the issuer " + p.config.Issuer + " cannot be read now: " + keysFailure(err) + ". Try again in a moment.",
			Err:     err,
		}
	case errors.Is(err, errNoKey), errors.Is(err, errWrongAlg), errors.Is(err, errBadSign):
		why = err.Error()
	case namesAlgorithm(token):
		why = "its algorithm is not one that is signed with a private key (RS, PS, ES or EdDSA)"
	}
	return &domain.Error{Code: domain.CodeTokenInvalid, Message: "The issuer's token is refused: " + why + ".", Err: err}
}

func keysFailure(err error) string {
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		return string(reason)
	}
	return "they are no set of keys"
}

// namesAlgorithm says whether it is a token with an algorithm that is not taken: none, or one
// for which a published key would be the secret.
func namesAlgorithm(token string) bool {
	_, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{"none", jose.HS256, jose.HS384, jose.HS512})
	return err == nil
}

// BearerPerson returns the person of a bearer token. A token for another audience is rejected, even one from the same
// issuer.
func (p *Party) BearerPerson(ctx context.Context, token string) (*people.IssuerPerson, error) {
	found, err := p.provider(ctx)
	if err != nil {
		return nil, err
	}
	c, err := p.verify(ctx, found.keys, token, p.audience())
	if err != nil {
		return nil, err
	}
	return p.admit(ctx, c)
}

func (p *Party) audience() string {
	if p.config.Audience != "" {
		return p.config.Audience
	}
	return p.config.ClientID
}
