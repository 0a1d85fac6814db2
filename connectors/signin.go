package connectors

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/egress"
)

// SignIn begins a person's sign-in to the server of a connector. If a browser begins it, and the redirect
// leads back to the host under which the browser reaches this server, the sign-in is bound to that browser.
func (s *Service) SignIn(
	ctx context.Context, workspace, id string, browser domain.SignInBrowser, by domain.Author,
) (*domain.SignIn, error) {
	c, err := s.rows.Connector(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	signer, err := s.signer(c, by)
	if err != nil {
		return nil, err
	}
	if !s.keys.Any() {
		return nil, errNoKey
	}
	redirect, err := s.redirect()
	if err != nil {
		return nil, domain.Errorf(domain.CodeUnavailable, "%v. Nothing was changed.", err)
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	prefix := ""
	if back, err := url.Parse(redirect); err == nil && browser.Host != "" && strings.EqualFold(back.Hostname(), browser.Host) {
		prefix = domain.SignInOfBrowser + browser.Hash + "-"
	}
	address, until, err := signer.Begin(ctx, redirect, prefix)
	if _, known := errors.AsType[*domain.Error](err); err != nil && !known {
		return nil, &domain.Error{
			Code: domain.CodeSignInFailed, Err: err, Message: fmt.Sprintf("No sign-in can be begun at %s: %s.", c.Name, whyNot(err)),
		}
	}
	if err != nil {
		return nil, err
	}
	return &domain.SignIn{URL: address, ExpiresAt: until, Bound: prefix != ""}, nil
}

// SignInError is why a sign-in cannot be begun, in words that name nothing of the network and
// nothing that another server wrote. Its cause is for the process log.
type SignInError struct {
	Message string
	Cause   error
}

// Error is the message.
func (e *SignInError) Error() string { return e.Message }

// Unwrap gives the cause.
func (e *SignInError) Unwrap() error { return e.Cause }

// whyNot is what people are shown: our own words where there are some, else what the way out
// says in its closed set of reasons.
func whyNot(err error) string {
	if known, ok := errors.AsType[*SignInError](err); ok {
		return known.Message
	}
	if known, ok := errors.AsType[*domain.OutsideError](err); ok {
		return strings.TrimSuffix(known.Message, ".")
	}
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		return string(reason)
	}
	return "the other server does not answer as the protocol wants"
}

// signer is the way to sign in to a connector, if its config has one.
func (s *Service) signer(c *domain.Connector, by domain.Author) (SignIner, error) {
	kind, err := s.kind(c.Kind)
	if err != nil {
		return nil, err
	}
	opening, err := s.Manager.opening(kind, c)
	if err != nil {
		return nil, err
	}
	if kind.SignIn == nil || opening.Grants == nil {
		return nil, errNoSignIn
	}
	opening.Grants.by = by
	signer, err := kind.SignIn(opening)
	if err == nil && signer == nil {
		return nil, errNoSignIn
	}
	return signer, err
}

var errNoSignIn = domain.Invalid("/config/auth", "no_sign_in", `Nobody signs in to this connector: its config has no "auth": "oauth".`)

// PendingSignIn returns the sign-in that has begun with a state, and uses nothing of it up. The error is
// sign_in_over if there is none.
func (s *Service) PendingSignIn(ctx context.Context, state string) (*domain.PendingSignIn, error) {
	grant, err := s.grants.GrantOfState(ctx, stateHash(state))
	switch {
	case err != nil:
		return nil, err
	case grant == nil || state == "":
		return nil, over(ErrSignInOver)
	}
	c, err := s.rows.Connector(ctx, grant.WorkspaceID, grant.ConnectorID)
	if err != nil {
		return nil, err
	}
	server, _, _ := strings.Cut(grant.Origin, " ") // the authorization server's may follow
	return &domain.PendingSignIn{Connector: c, Server: server, BegunBy: grant.BegunBy}, nil
}

// FinishSignIn takes a person back who signed in. It gives the connector, as far as it is
// known, and who began: nothing else says who came back.
func (s *Service) FinishSignIn(ctx context.Context, answer domain.SignInAnswer) (*domain.Connector, domain.Author, error) {
	if answer.State == "" {
		return nil, domain.Author{}, over(ErrSignInOver)
	}
	grant, err := s.grants.GrantOfState(ctx, stateHash(answer.State))
	switch {
	case err != nil:
		return nil, domain.Author{}, err
	case grant == nil:
		return nil, domain.Author{}, over(ErrSignInOver)
	}
	c, err := s.rows.Connector(ctx, grant.WorkspaceID, grant.ConnectorID)
	if err != nil {
		return nil, domain.Author{}, err
	}
	signer, err := s.signer(c, grant.BegunBy)
	if err != nil {
		return nil, domain.Author{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if err := signer.Finish(ctx, answer); err != nil {
		return c, grant.BegunBy, over(err)
	}
	// What it offers is seen now; if that cannot be found out, the connector says why.
	if listed, err := s.RefreshConnector(ctx, c.WorkspaceID, c.ID); err == nil {
		c = listed
	}
	return c, grant.BegunBy, nil
}

// over says what is told of a sign-in that did not come about. What the other server said is
// for the log.
func over(err error) error {
	if errors.Is(err, ErrSignInOver) {
		return &domain.Error{
			Code: domain.CodeSignInOver, Err: err, Message: "This sign-in was not begun here, was finished before, or took too long.",
		}
	}
	return &domain.Error{Code: domain.CodeSignInFailed, Message: "The other server did not complete the sign-in.", Err: err}
}
