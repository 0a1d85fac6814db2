package cli

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
)

// TestAServerThatIsNotTrusted answers: what is wrong is its certificate, and that it should be started is no help.
func TestAServerThatIsNotTrusted(t *testing.T) {
	srv := httptest.NewUnstartedServer(http.NotFoundHandler())
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	srv.StartTLS()
	defer srv.Close()
	flags := serverFlags{URL: srv.URL}
	client, err := flags.client(&Context{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.send(t.Context(), http.MethodGet, "/healthz", nil, "", "application/json")
	if err == nil || ExitCode(err) != exitUnreachable {
		t.Fatalf("exit code %d, %v", ExitCode(err), err)
	}
	wants(t, err.Error(), srv.URL+" cannot be trusted: ", "Add the authority that signed its certificate")
	if strings.Contains(err.Error(), "fermata serve") {
		t.Errorf("%v", err)
	}
	cc, out := testContext(t, strings.NewReader(""))
	if err := (&Doctor{clientFlags: clientFlags{serverFlags: flags}}).Check(cc, nil); err == nil {
		t.Error("the doctor finds nothing")
	}
	wants(t, out.String(), "FAIL  server", "cannot be trusted", "-> Add the authority")

	for want, cause := range map[string]error{
		"Renew the server's certificate": x509.CertificateInvalidError{Cert: &x509.Certificate{}, Reason: x509.Expired},
		"Use a host name":                x509.HostnameError{Certificate: &x509.Certificate{}, Host: "fermata"},
		"Add the authority":              x509.UnknownAuthorityError{},
	} {
		err := &url.Error{Op: "Get", URL: "https://fermata", Err: fmt.Errorf("tls: %w", &tls.CertificateVerificationError{Err: cause})}
		if got := distrusted(err); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, want %q", cause, got, want)
		}
	}
	if got := distrusted(errors.New("connection refused")); got != "" {
		t.Errorf("what is no matter of trust: %q", got)
	}
}
