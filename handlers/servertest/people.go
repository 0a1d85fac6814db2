package servertest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	peopleapi "github.com/fermata-dev/fermata/handlers/people"
	"github.com/fermata-dev/fermata/internal/testkit/pushservice"
)

// Seated has every caller in a browser.
type Seated struct{ RoleAuth }

func (s Seated) Authenticate(r *http.Request) (*auth.Identity, error) {
	id, err := s.RoleAuth.Authenticate(r)
	if err == nil {
		id.SignIn = &people.SignedIn{ID: "sgn_1", WorkspaceID: id.Workspace, Owner: id.Name, Method: people.SignInKey}
	}
	return id, err
}

func Part(t *testing.T, r Reply, name string) []byte {
	t.Helper()
	raw, err := json.Marshal(r.Body[name])
	if err != nil || string(raw) == "null" {
		t.Fatalf("there is no %s in %s", name, r.Text)
	}
	return raw
}

// Vouching is an issuer that vouches for everybody who comes with the code "good".
type Vouching struct{}

func (Vouching) Issuer() string { return "https://issuer.example" }

func (Vouching) Begin(_ context.Context, returnTo string) (to, cookie string, err error) {
	return "/problems?from=" + url.QueryEscape(returnTo), "begun", nil
}

func (v Vouching) Finish(_ context.Context, _ string, query url.Values) (*people.IssuerPerson, string, error) {
	if query.Get("code") != "good" {
		return nil, "/", domain.Errorf(domain.CodeTokenInvalid, "The issuer's token is refused: its signature is not good.")
	}
	return &people.IssuerPerson{ID: "usr_1", Issuer: v.Issuer(), Name: "Ada", Role: domain.RoleMember, Workspaces: []string{domain.DefaultWorkspace}}, "/#/chat", nil
}

// Trusting believes that issuer; the key of the server stands for the person.
type Trusting struct{ peopleapi.SignIns }

func (s Trusting) SignInPerson(r *http.Request, _ *people.IssuerPerson) (*auth.Opened, error) {
	return s.SignInByKey(r, RootKey)
}

func Subscription(b *pushservice.Browser, also string) string {
	return fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}%s}`, b.Endpoint, b.P256dh, b.Auth, also)
}
