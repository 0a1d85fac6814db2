package connectors

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
)

// SignIn begins a person's sign-in to the server of a connector. If a browser begins it, and the redirect
// leads back to the host under which the browser reaches this server, the sign-in is bound to that browser.
func (s *Service) SignIn(
	ctx context.Context, workspace, id string, browser outside.SignInBrowser, by domain.Author,
) (*outside.SignIn, error) {
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
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	prefix := ""
	if back, err := url.Parse(redirect); err == nil && browser.Host != "" && strings.EqualFold(back.Hostname(), browser.Host) {
		prefix = outside.SignInOfBrowser + browser.Hash + "-"
	}
	address, until, err := signer.Begin(ctx, redirect, prefix)
	if _, known := errors.AsType[*domain.Error](err); err != nil && !known {
		return nil, &domain.Error{
			Code: domain.CodeSignInFailed, Err: err, Message: fmt.Sprintf("The sign-in at %s cannot be started: %s.", c.Name, signInReason(err)),
		}
	}
	if err != nil {
		return nil, err
	}
	return &outside.SignIn{URL: address, ExpiresAt: until, Bound: prefix != ""}, nil
}

// SignInError explains why a sign-in cannot be started, without network details or text of another
// server. Its cause is for the process log.
type SignInError struct {
	Message string
	Cause   error
}

// Error returns the message.
func (e *SignInError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *SignInError) Unwrap() error { return e.Cause }

// signInReason returns a reason for people: our own message if there is one, otherwise one of the fixed
// reasons of package egress.
func signInReason(err error) string {
	if known, ok := errors.AsType[*SignInError](err); ok {
		return known.Message
	}
	if known, ok := errors.AsType[*outside.Error](err); ok {
		return strings.TrimSuffix(known.Message, ".")
	}
	if reason := egress.ReasonOf(err); reason != egress.ReasonNone {
		return string(reason)
	}
	return "the server's response does not conform to the protocol"
}

// signer returns the sign-in of a connector, if its config has one.
func (s *Service) signer(c *outside.Connector, by domain.Author) (SignIner, error) {
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

var errNoSignIn = domain.Invalid("/config/auth", "no_sign_in", `This connector does not use sign-in: its config has no "auth": "oauth".`)

// PendingSignIn returns the pending sign-in with a state without consuming it. The error is
// sign_in_over if there is none.
func (s *Service) PendingSignIn(ctx context.Context, state string) (*outside.PendingSignIn, error) {
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
	return &outside.PendingSignIn{Connector: c, Server: server, BegunBy: grant.BegunBy}, nil
}

// FinishSignIn completes a sign-in. It returns the connector, as far as it is known, and the author
// who began; the request itself is not authenticated.
func (s *Service) FinishSignIn(ctx context.Context, answer outside.SignInAnswer) (*outside.Connector, domain.Author, error) {
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
	ctx, cancel := context.WithTimeout(ctx, discoverTimeout)
	defer cancel()
	if err := signer.Finish(ctx, answer); err != nil {
		return c, grant.BegunBy, over(err)
	}
	// The commands are listed immediately. If that fails, the connector's status says why.
	if listed, err := s.RefreshConnector(ctx, c.WorkspaceID, c.ID); err == nil {
		c = listed
	}
	return c, grant.BegunBy, nil
}

// over is the error of a failed sign-in. The server's own message is only logged.
func over(err error) error {
	if errors.Is(err, ErrSignInOver) {
		return &domain.Error{
			Code: domain.CodeSignInOver, Err: err, Message: "This sign-in was not started here, is already finished, or took too long.",
		}
	}
	return &domain.Error{Code: domain.CodeSignInFailed, Message: "The other server did not complete the sign-in.", Err: err}
}
