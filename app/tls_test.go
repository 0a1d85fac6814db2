package app

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestACertificateThatEndsWhileTheServerRuns: it was good for long when it was read. Whoever does not
// renew it is told, once a day, before it ends and after; and it is shown on: some clients take it.
func TestACertificateThatEndsWhileTheServerRuns(t *testing.T) {
	begun := time.Date(2026, 5, 1, 8, 0, 0, 0, time.UTC)
	now, dir, log := begun, t.TempDir(), &bytes.Buffer{}
	c := &certificate{
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
		{0, 0, ""}, {22, 0, ""}, {23.5, 1, "ends soon"}, {23.6, 0, ""}, {24.6, 1, "ends soon"}, {30.5, 1, "has ended"}, {30.6, 0, ""}, {31.6, 1, "has ended"},
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

// certifiedUntil writes a certificate that is good until then.
func certifiedUntil(t *testing.T, c *certificate, until time.Time) {
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
