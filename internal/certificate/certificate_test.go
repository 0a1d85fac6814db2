package certificate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"
)

// TestACertificateThatEndsWhileTheServerRuns: a certificate that expires while the server runs is reported
// once a day, before and after its expiry, and stays in use: some clients accept it.
func TestACertificateThatEndsWhileTheServerRuns(t *testing.T) {
	begun := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	now, dir, log := begun, t.TempDir(), &bytes.Buffer{}
	c := &Certificate{
		certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem"),
		clock: func() time.Time { return now }, log: zerolog.New(log).Level(zerolog.WarnLevel),
	}
	certifiedUntil(t, c, begun.Add(30*24*time.Hour))
	if err := c.read(); err != nil {
		t.Fatal(err)
	}
	for _, at := range []struct {
		days  float64
		warns int
		says  string
	}{
		{0, 0, ""}, {22, 0, ""}, {23.5, 1, "expires soon"}, {23.6, 0, ""}, {24.6, 1, "expires soon"}, {30.5, 1, "has expired"}, {30.6, 0, ""}, {31.6, 1, "has expired"},
	} {
		log.Reset()
		now = begun.Add(time.Duration(at.days * 24 * float64(time.Hour)))
		for range 3 {
			if shown, err := c.get(nil); err != nil || shown == nil {
				t.Fatal(shown, err)
			}
			now = now.Add(2 * lookEvery)
		}
		if n := strings.Count(log.String(), "\n"); n != at.warns || !strings.Contains(log.String(), at.says) {
			t.Errorf("after %v days: %s", at.days, log)
		}
	}
	log.Reset()
	certifiedUntil(t, c, now.Add(90*24*time.Hour))
	if err := os.Chtimes(c.certFile, now, now); err != nil {
		t.Fatal(err)
	}
	now = now.Add(48 * time.Hour)
	if _, err := c.get(nil); err != nil || log.Len() > 0 {
		t.Errorf("after it was renewed: %v, %s", err, log)
	}
}

// TestACertificateThatIsSpoiltWhileTheServerRuns: files that are incomplete, of two certificates, or missing
// change nothing for clients. The log reports it once for each change, and the metrics until it is fixed; the
// expiry of the previous certificate is still reported.
func TestACertificateThatIsSpoiltWhileTheServerRuns(t *testing.T) {
	begun := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	now, dir, log := begun, t.TempDir(), &bytes.Buffer{}
	c := &Certificate{
		certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem"),
		clock: func() time.Time { return now }, log: zerolog.New(log).Level(zerolog.WarnLevel),
	}
	ends := begun.Add(10 * 24 * time.Hour)
	certifiedUntil(t, c, ends)
	if err := c.read(); err != nil {
		t.Fatal(err)
	}
	good := [2][]byte{}
	for i, path := range []string{c.certFile, c.keyFile} {
		good[i], _ = os.ReadFile(path)
	}
	put := func(cert, key []byte) {
		for path, content := range map[string][]byte{c.certFile: cert, c.keyFile: key} {
			_ = os.Remove(path)
			if content == nil {
				continue
			}
			if err := errors.Join(os.WriteFile(path, content, 0o600), os.Chtimes(path, now, now)); err != nil {
				t.Fatal(err)
			}
		}
	}
	certifiedUntil(t, c, ends) // of another key
	otherKey, _ := os.ReadFile(c.keyFile)
	for what, files := range map[string][2][]byte{
		"cut off":             {good[0][:len(good[0])/2], good[1]},
		"empty":               {{}, good[1]},
		"of two certificates": {good[0], otherKey},
		"no certificate":      {nil, good[1]},
		"no key":              {good[0], nil},
	} {
		now = now.Add(time.Minute)
		put(files[0], files[1])
		log.Reset()
		for range 5 {
			now = now.Add(2 * lookEvery)
			if shown, err := c.get(nil); err != nil || !shown.Leaf.NotAfter.Equal(ends) {
				t.Fatalf("%s: %v is shown, %v", what, shown, err)
			}
		}
		if said := log.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "stays in use") || !strings.Contains(said, "put both files") {
			t.Errorf("%s: %s", what, said)
		}
		exports(t, c, ends, 1)
		now = now.Add(time.Minute)
		put(good[0], good[1])
		if _, err := c.get(nil); err != nil {
			t.Fatal(err)
		}
		exports(t, c, ends, 0)
	}
	now = begun.Add(9 * 24 * time.Hour)
	put(good[0], nil)
	log.Reset()
	if _, err := c.get(nil); err != nil || !strings.Contains(log.String(), "stays in use") || !strings.Contains(log.String(), "expires soon") {
		t.Errorf("%v; %s", err, log)
	}
}

// exports checks the metrics.
func exports(t *testing.T, c *Certificate, ends time.Time, unusable float64) {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil || len(families) != 2 {
		t.Fatal(families, err)
	}
	for _, family := range families {
		want := map[string]float64{"fermata_tls_certificate_expiry_timestamp_seconds": float64(ends.Unix()), "fermata_tls_certificate_unusable": unusable}
		if got := family.GetMetric()[0].GetGauge().GetValue(); got != want[family.GetName()] {
			t.Errorf("%s is %v, want %v", family.GetName(), got, want[family.GetName()])
		}
	}
}

// certifiedUntil writes a certificate that is valid until the given time.
func certifiedUntil(t *testing.T, c *Certificate, until time.Time) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: until.Add(-time.Hour), NotAfter: until}
	made, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	for path, block := range map[string]*pem.Block{c.certFile: {Type: "CERTIFICATE", Bytes: made}, c.keyFile: {Type: "PRIVATE KEY", Bytes: encoded}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
