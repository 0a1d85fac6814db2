package app

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"io"
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

// The doctor knows of a backup that `fermata backup` made, and how old it is.
func TestTheDoctorKnowsTheNewestBackup(t *testing.T) {
	const week = 7 * 24 * time.Hour
	db := Database{DataDir: t.TempDir()}
	if got := db.checkBackup(week, clock.System()); got != nil {
		t.Errorf("there is nothing to copy: %+v", got)
	}
	if err := Migrate(t.Context(), db, "text", io.Discard); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.checkBackup(week, clock.System()), diagnosis.LevelWarning, "has never been run")
	file := filepath.Join(t.TempDir(), "monday.db")
	if err := (&Backup{Database: db, Target: file}).Do(context.Background(), "dev", io.Discard); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.checkBackup(week, clock.System()), diagnosis.LevelOK, file)
	foundOne(t, db.checkBackup(week, clock.System().Add(9*24*time.Hour+time.Hour)), diagnosis.LevelWarning, "9 days ago")
	if err := (&Backup{Database: db, Target: file}).Do(context.Background(), "dev", io.Discard); err == nil {
		t.Fatal("a backup took the place of another one")
	}
	foundOne(t, db.checkBackup(week, clock.System()), diagnosis.LevelOK, file)
	if left, _ := filepath.Glob(filepath.Join(db.DataDir, ".last-backup-*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
	if info, err := os.Stat(db.backupMarkFile()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	if err := os.WriteFile(db.backupMarkFile(), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	foundOne(t, db.checkBackup(week, clock.System()), diagnosis.LevelWarning, "cannot be read")
	elsewhere := Database{DataDir: filepath.Join(t.TempDir(), "none"), DatabaseURL: "postgres://x"}
	foundOne(t, elsewhere.checkBackup(week, clock.System()), diagnosis.LevelSkipped, "PostgreSQL's own tools")
}

// The doctor says when the certificate has to be renewed.
func TestTheDoctorLooksAtTheCertificate(t *testing.T) {
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
	flags := Config{}
	if got := checkCertificate(&flags, now); got != nil {
		t.Errorf("there is none: %+v", got)
	}
	flags.TLSCert, flags.TLSKey = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	foundOne(t, checkCertificate(&flags, now), diagnosis.LevelFailed, "no such file")
	for path, block := range map[string]*pem.Block{flags.TLSCert: {Type: "CERTIFICATE", Bytes: der}, flags.TLSKey: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	foundOne(t, checkCertificate(&flags, now), diagnosis.LevelOK, "fermata.example")
	foundOne(t, checkCertificate(&flags, now.Add(55*24*time.Hour)), diagnosis.LevelWarning, "expires soon")
	foundOne(t, checkCertificate(&flags, now.Add(61*24*time.Hour)), diagnosis.LevelFailed, "has expired")
	foundOne(t, checkCertificate(&flags, now.Add(-2*time.Hour)), diagnosis.LevelFailed, "not valid before")
}
