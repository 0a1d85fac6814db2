package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/auth/oidc"
	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/internal/certificate"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Diagnose checks what a server on this machine would start with: its configuration and its database.
// It changes nothing. If address, that of the server in use, is on another machine, there is nothing
// to check here.
func Diagnose(ctx context.Context, flags Config, address string) []diagnosis.Finding {
	if elsewhere(address) {
		return []diagnosis.Finding{diagnosis.Skipped("configuration",
			"the server is on another machine; run doctor there for its configuration and database")}
	}
	if err := flags.resolve(); err != nil {
		return []diagnosis.Finding{diagnosis.Failed("configuration", err.Error(),
			"Correct the flag, the variable or the file; `fermata serve --help` lists all of them.")}
	}
	findings := []diagnosis.Finding{diagnosis.OK("configuration", "valid; a server would listen on "+flags.Listen)}
	if flags.plain() {
		findings = append(findings, diagnosis.Warning("transport", "keys and conversations cross the network unencrypted", plainFix))
	}
	findings = append(findings, certificate.Diagnose(flags.TLSCert, flags.TLSKey, clock.System())...)
	findings = append(findings, checkIssuer(ctx, &flags)...)
	findings = append(findings, checkMail(ctx, &flags)...)
	findings = append(findings, checkPush(&flags)...)
	keys, err := flags.secretKeys()
	if err != nil {
		return append(findings, diagnosis.Failed("secret key", err.Error(), "Correct it; with PostgreSQL it must be the same on all nodes."))
	}
	if len(keys) == 0 && flags.DatabaseURL != "" {
		findings = append(findings, diagnosis.Warning("secret key",
			"FERMATA_SECRET_KEY is not set: provider keys and webhook URLs cannot be stored",
			"Set it (openssl rand -base64 32), with the same value on all nodes, or name environment variables in api_key_env."))
	}
	findings = append(findings, checkCollector(ctx, &flags.Tracing)...)
	return append(findings, checkDatabase(ctx, &flags, keys)...)
}

// inWords returns an error's message for people, without its code.
func inWords(err error) string {
	e, ok := errors.AsType[*domain.Error](err)
	switch {
	case !ok:
		return err.Error()
	case e.Err != nil:
		return e.Message + " (" + e.Err.Error() + ")"
	}
	return e.Message
}

// elsewhere reports whether the server in use is on another machine.
func elsewhere(address string) bool {
	u, err := url.Parse(address)
	return err != nil || !auth.LoopbackHost(u.Host)
}

// checkIssuer queries the OpenID Connect issuer.
func checkIssuer(ctx context.Context, flags *Config) []diagnosis.Finding {
	if flags.OIDCIssuer == "" {
		return nil
	}
	const fix = "Check the issuer and FERMATA_OIDC_ISSUER, which must match the issuer's own name exactly."
	var ahead time.Duration
	party, err := flags.party(clock.System, nil)
	if err == nil {
		ahead, err = oidc.New(party).Check(ctx)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("issuer", inWords(err), fix)}
	}
	findings := []diagnosis.Finding{diagnosis.OK("issuer",
		flags.OIDCIssuer+" responds and publishes its keys; register the redirect URI "+party.RedirectURL+" there")}
	if ahead != 0 {
		way := "ahead of"
		if ahead < 0 {
			way = "behind"
		}
		findings = append(findings, diagnosis.Warning("issuer", fmt.Sprintf("its clock is %s %s this machine's: its tokens may be rejected as too early or too late",
			ahead.Abs(), way), "Synchronise both clocks by NTP; a difference of one minute is tolerated."))
	}
	if flags.OIDCRoleClaim == "" {
		findings = append(findings, diagnosis.Warning("issuer", "everyone who can sign in there is a member here",
			"Set FERMATA_OIDC_ROLE_CLAIM to the claim that holds a person's role."))
	}
	return findings
}

// checkSealed checks whether the keys decrypt the stored secrets.
func checkSealed(ctx context.Context, flags *Config, store sealedSecrets, keys [][]byte) []diagnosis.Finding {
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
			diagnosis.Failed("secret key", flags.wrongKey(!s.Any(), lost, all), "Start the server with the key that encrypted them."),
		}
	case all > 0:
		return []diagnosis.Finding{diagnosis.OK("secret key", fmt.Sprintf("it decrypts all stored secrets (%d)", all))}
	}
	return nil
}
