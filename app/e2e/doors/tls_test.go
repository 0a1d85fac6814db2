package doors

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/app"
	"github.com/fermata-dev/fermata/app/e2e/harness"
	"github.com/fermata-dev/fermata/internal/testkit"
)

// certified writes a certificate for this machine, signed by itself, and gives its files.
func certified(t *testing.T, dir string, serial int64) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "fermata"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(240 * time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: made}, key: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

// secure is a client that speaks TLS, without looking who signed: the tests look themselves.
func secure(t *testing.T, http2 bool) *http.Client {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: http2}
	if !http2 {
		transport.Protocols = &http.Protocols{}
		transport.Protocols.SetHTTP1(true)
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// TestTLS: HTTP/1.1 and HTTP/2 over TLS, with event streams on both; a renewed certificate is
// shown without a restart, and files that cannot be used change nothing.
func TestTLS(t *testing.T) {
	dir := t.TempDir()
	cert, key := certified(t, dir, 1)
	a, err := app.New(t.Context(), app.Config{Database: harness.Databases["sqlite"](t), Listen: "127.0.0.1:0", Network: app.Network{TLSCert: cert, TLSKey: key}})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Stop(t.Context()) })
	if !strings.HasPrefix(a.URL(), "https://") {
		t.Fatalf("the server says that it is at %s", a.URL())
	}
	for _, with2 := range []bool{false, true} {
		client := secure(t, with2)
		response, err := client.Get(a.URL() + "/v1/events/stream")
		if err != nil {
			t.Fatal(err)
		}
		if response.StatusCode != http.StatusOK || (response.ProtoMajor == 2) != with2 {
			t.Errorf("%s by %s", response.Status, response.Proto)
		}
		streamed := bufio.NewScanner(response.Body)
		for streamed.Scan() && !strings.HasPrefix(streamed.Text(), "retry: ") {
		}
		if streamed.Err() != nil {
			t.Errorf("by %s nothing is received: %v", response.Proto, streamed.Err())
		}
		_ = response.Body.Close()
	}
	serial := func() int64 {
		response, err := secure(t, true).Get(a.URL() + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return response.TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 1 {
		t.Errorf("certificate %d is shown", got)
	}
	certified(t, dir, 2)
	testkit.Until(t, "the new certificate to be shown", func() bool { return serial() == 2 })
	if err := os.WriteFile(cert, []byte("cut off"), 0o600); err != nil {
		t.Fatal(err)
	}
	unusable := func(value string) bool {
		return strings.Contains(scraped(t, a.URL()), "\nfermata_tls_certificate_unusable "+value+"\n")
	}
	testkit.Until(t, "the metrics to show it", func() bool { return unusable("1") })
	if got := serial(); got != 2 {
		t.Fatalf("certificate %d is shown", got)
	}
	certified(t, dir, 3)
	testkit.Until(t, "the fixed certificate to be served", func() bool { return serial() == 3 })
	if !unusable("0") {
		t.Error("the metrics do not show that it is fixed")
	}
}

// scraped returns the metrics as Prometheus reads them.
func scraped(t *testing.T, url string) string {
	t.Helper()
	response, err := secure(t, true).Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestCertificatesThatCannotBeUsed: a server that should speak TLS and cannot does not start.
func TestCertificatesThatCannotBeUsed(t *testing.T) {
	dir := t.TempDir()
	cert, key := certified(t, dir, 1)
	for name, c := range map[string][2]string{
		"no key": {cert, ""}, "no certificate": {"", key}, "the wrong way round": {key, cert},
		"a file that is not there": {filepath.Join(dir, "none"), key},
	} {
		a, err := app.New(t.Context(), app.Config{Database: harness.Databases["sqlite"](t), Listen: "127.0.0.1:0", Network: app.Network{TLSCert: c[0], TLSKey: c[1]}})
		if err == nil {
			_ = a.Stop(t.Context())
			t.Errorf("%s: it starts", name)
		}
	}
}

// TestHTTP2WithoutTLS: a proxy or a program may begin with HTTP/2 at once.
func TestHTTP2WithoutTLS(t *testing.T) {
	s := harness.NewServer(t, harness.Databases["sqlite"](t))
	transport := &http.Transport{Protocols: &http.Protocols{}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Get(s.URL + "/v1/zones")
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK {
		t.Errorf("%s by %s", response.Status, response.Proto)
	}
}
