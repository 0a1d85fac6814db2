package operate

import (
	"context"
	"fmt"

	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Doctor checks what a server on this machine would start with: its configuration and its database. It changes nothing.
type Doctor struct {
	SecretKey SecretKey
	// Checks are those of the parts that the configuration enables.
	Checks []func(context.Context) []diagnosis.Finding
}

// Diagnose returns the findings of a valid configuration.
func (d *Doctor) Diagnose(ctx context.Context) []diagnosis.Finding {
	var findings []diagnosis.Finding
	for _, check := range d.Checks {
		findings = append(findings, check(ctx)...)
	}
	keys, err := d.SecretKey.Read()
	if err != nil {
		return append(findings, diagnosis.Failed("secret key", err.Error(), "Correct it; with PostgreSQL it must be the same on all nodes."))
	}
	if len(keys) == 0 && d.SecretKey.Database.DatabaseURL != "" {
		findings = append(findings, diagnosis.Warning("secret key",
			"FERMATA_SECRET_KEY is not set: provider keys and webhook URLs cannot be stored",
			"Set it (openssl rand -base64 32), with the same value on all nodes, or name environment variables in api_key_env."))
	}
	return append(findings, checkDatabase(ctx, d.SecretKey, keys)...)
}

// checkSealed checks whether the keys decrypt the stored secrets.
func checkSealed(ctx context.Context, key SecretKey, store sealedSecrets, keys [][]byte) []diagnosis.Finding {
	s, err := seal.New(keys)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("secret key", err.Error(), "")}
	}
	lost, all, err := unreadable(ctx, s, store)
	switch {
	case err != nil:
		return []diagnosis.Finding{diagnosis.Failed("secret key", err.Error(), "Bring the database up to date: fermata migrate")}
	case lost > 0:
		return []diagnosis.Finding{
			diagnosis.Failed("secret key", key.wrong(!s.Any(), lost, all), "Start the server with the key that encrypted them."),
		}
	case all > 0:
		return []diagnosis.Finding{diagnosis.OK("secret key", fmt.Sprintf("it decrypts all stored secrets (%d)", all))}
	}
	return nil
}
