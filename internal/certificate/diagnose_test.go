package certificate

import (
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

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
)

func foundOne(t *testing.T, found []diagnosis.Finding, level diagnosis.Level, says string) {
	t.Helper()
	if len(found) != 1 || found[0].Level != level || !strings.Contains(found[0].Detail, says) {
		t.Errorf("found %+v, want %s and %q", found, level, says)
	}
}

// TestDiagnose: a certificate that is missing, expires soon or is not valid is reported.
func TestDiagnose(t *testing.T) {
	dir, now := t.TempDir(), clock.System()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"fermata.example"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(60 * 24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if got := Diagnose("", "", now); got != nil {
		t.Errorf("there is none: %+v", got)
	}
	certFile, keyFile := filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	foundOne(t, Diagnose(certFile, keyFile, now), diagnosis.LevelFailed, "no such file")
	for path, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foundOne(t, Diagnose(certFile, keyFile, now), diagnosis.LevelOK, "fermata.example")
	foundOne(t, Diagnose(certFile, keyFile, now.Add(55*24*time.Hour)), diagnosis.LevelWarning, "expires soon")
	foundOne(t, Diagnose(certFile, keyFile, now.Add(61*24*time.Hour)), diagnosis.LevelFailed, "has expired")
	foundOne(t, Diagnose(certFile, keyFile, now.Add(-2*time.Hour)), diagnosis.LevelFailed, "not valid before")
}
