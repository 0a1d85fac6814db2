package remote_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/cli/clitest"
	"github.com/fermata-dev/fermata/cli/command"
	"github.com/fermata-dev/fermata/cli/remote"
)

// TestAServerThatIsNotTrusted answers: what is wrong is its certificate, and that it should be started is no help.
func TestAServerThatIsNotTrusted(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	flags := command.ServerFlags{URL: srv.URL}
	client, err := flags.Client(&command.Context{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Send(t.Context(), http.MethodGet, "/healthz", nil, "", "application/json")
	if err == nil || command.ExitCode(err) != command.ExitUnreachable {
		t.Fatalf("exit code %d, %v", command.ExitCode(err), err)
	}
	clitest.Wants(t, err.Error(), srv.URL+" cannot be trusted: ", "Add the authority that signed its certificate")
	if strings.Contains(err.Error(), "fermata serve") {
		t.Errorf("%v", err)
	}
}

// TestDistrusted finds what to do about a certificate.
func TestDistrusted(t *testing.T) {
	for want, cause := range map[string]error{
		"Renew the server's certificate": x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired},
		"Use a host name":                x509.HostnameError{Certificate: &x509.Certificate{}, Host: "fermata"},
		"Add the authority":              x509.UnknownAuthorityError{},
	} {
		err := &url.Error{Op: "Get", URL: "https://fermata", Err: fmt.Errorf("tls: %w", &tls.CertificateVerificationError{Err: cause})}
		if got := remote.Distrusted(err); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
	if got := remote.Distrusted(errors.New("connection refused")); got != "" {
		t.Errorf("what is no matter of trust: %q", got)
	}
}
