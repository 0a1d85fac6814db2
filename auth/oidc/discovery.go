package oidc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/exactjson"
	"github.com/fermata-dev/fermata/internal/shorten"
)

const (
	maxAnswer = 1 << 20
	// describedFor is how long what an issuer says of itself is believed.
	describedFor = time.Hour
)

// provider is an issuer as it describes itself.
type provider struct {
	authURL, tokenURL string
	keys              *keySet
	iss               bool // it names itself in its answers to browsers (RFC 9207)
	post              bool // it takes the client's secret in the body only
}

// discovery asks an issuer what it says of itself.
type discovery struct {
	issuer string
	client *http.Client
	clock  clock.Clock
	keys   *keySet // the present one, which outlives what it was found by; used by ask alone
}

// description is what an issuer says of itself, as far as it means something to us.
type description struct {
	Issuer   string   `json:"issuer"`
	AuthURL  string   `json:"authorization_endpoint"`
	TokenURL string   `json:"token_endpoint"`
	JWKS     string   `json:"jwks_uri"`
	Iss      bool     `json:"authorization_response_iss_parameter_supported"`
	Methods  []string `json:"token_endpoint_auth_methods_supported"`
}

// mismatchError is that an issuer calls itself by another name.
type mismatchError struct{ discovered string }

func (e *mismatchError) Error() string {
	return fmt.Sprintf("the issuer calls itself %q", e.discovered)
}

func (d *discovery) describe(ctx context.Context) (*description, error) {
	text, _, err := get(ctx, d.client, strings.TrimSuffix(d.issuer, "/")+"/.well-known/openid-configuration")
	if err != nil {
		return nil, fmt.Errorf("ask the issuer for its description: %w", err)
	}
	var described description
	if err := exactjson.Unmarshal(text, &described); err != nil {
		return nil, fmt.Errorf("the issuer's description: %w", err)
	}
	if described.Issuer != d.issuer {
		return nil, &mismatchError{described.Issuer}
	}
	return &described, nil
}

// ask is called by one at a time.
func (d *discovery) ask(ctx context.Context) (*provider, error) {
	to, err := d.describe(ctx)
	if err != nil {
		return nil, d.unavailable(outOfTime(ctx, err))
	}
	addresses := map[string]string{"authorization_endpoint": to.AuthURL, "token_endpoint": to.TokenURL, "jwks_uri": to.JWKS}
	for what, address := range addresses {
		if err := d.checkAddress(address); err != nil {
			return nil, d.unavailable(fmt.Errorf("its %s: %w", what, err))
		}
	}
	if d.keys == nil || d.keys.url != to.JWKS {
		d.keys = newKeySet(to.JWKS, d.client, d.clock)
	}
	return &provider{
		authURL: to.AuthURL, tokenURL: to.TokenURL, iss: to.Iss, keys: d.keys,
		post: len(to.Methods) > 0 && !slices.Contains(to.Methods, "client_secret_basic"),
	}, nil
}

// checkAddress refuses addresses that are none, and those that would send the client's secret,
// or take keys, over an open line although the issuer itself speaks TLS.
func (d *discovery) checkAddress(address string) error {
	if err := CheckIssuer(strings.SplitN(address, "?", 2)[0]); err != nil {
		return errors.New("it is no address")
	}
	if strings.HasPrefix(d.issuer, "https://") && !strings.HasPrefix(address, "https://") {
		return errors.New("it is without TLS, and the issuer is not")
	}
	return nil
}

// unavailable says why nothing can be learned of the issuer, in words for its operator.
func (d *discovery) unavailable(err error) error {
	var said string
	var mismatch *mismatchError
	switch reason := egress.ReasonOf(err); {
	case errors.As(err, &mismatch):
		said = fmt.Sprintf("it calls itself %q. FERMATA_OIDC_ISSUER must say exactly that, also with or without a / at the end",
			cut(mismatch.discovered))
	case reason != egress.ReasonNone:
		said = string(reason)
	default:
		said = "what it says of itself at " + strings.TrimSuffix(d.issuer, "/") + "/.well-known/openid-configuration cannot be used"
	}
	return &domain.Error{
		Code:    domain.CodeIssuerUnavailable,
		Message: "The issuer " + d.issuer + " cannot be used now: " + said + ". Sign-in works again when it answers; keys work all the time.",
		Err:     short(err, hiding()),
	}
}

// cut keeps what the issuer wrote short and on one line, without characters that are not seen or
// that change how others are read: a name is shown beside what a person did.
func cut(text string) string {
	const most = 200
	return shorten.Characters(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // joiners are part of some scripts
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "?")), most)
}

// outOfTime is an error that says so if there was no time left: the libraries forget why they could not read on.
func outOfTime(ctx context.Context, err error) error {
	if late := ctx.Err(); late != nil {
		return errors.Join(late, err)
	}
	return err
}

// short is an error whose text, which may hold all that an issuer answered, is fit for a log: on one line, of
// which no more is kept than says what happened, and without what hide takes out.
func short(err error, hide func(string) string) error {
	return &shortened{cut(hide(err.Error())), err}
}

type shortened struct {
	text string
	err  error
}

func (e *shortened) Error() string { return e.text }
func (e *shortened) Unwrap() error { return e.err }

// hiding takes secrets out of a text, in each way in which they are sent. What is shorter than any secret is
// none, and would be taken out of words.
func hiding(secrets ...string) func(string) string {
	const shortest = 8
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= shortest {
			pairs = append(pairs, secret, "(hidden)", url.QueryEscape(secret), "(hidden)")
		}
	}
	return strings.NewReplacer(pairs...).Replace
}

// bounded reads no more of an answer than an issuer has to say: the libraries read it whole.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		response.Body = &boundedBody{io.LimitReader(response.Body, maxAnswer), response.Body}
	}
	return response, err //nolint:wrapcheck // the client says whose request it was
}

type boundedBody struct {
	io.Reader
	io.Closer
}
