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
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/seal"
)

// Diagnose checks what a server on this machine would start with: its configuration and
// its database. It changes nothing. Where address, of the server that people use, leads
// to another machine, there is nothing to look at here.
func Diagnose(ctx context.Context, flags Config, address string) []diagnosis.Finding {
	if elsewhere(address) {
		return []diagnosis.Finding{diagnosis.Skipped("configuration",
			"the server is on another machine; run doctor there for its configuration and database")}
	}
	if err := flags.resolve(); err != nil {
		return []diagnosis.Finding{diagnosis.Failed("configuration", err.Error(),
			"Correct the flag, the variable or the file; `fermata serve --help` lists them all.")}
	}
	findings := []diagnosis.Finding{diagnosis.OK("configuration", "a server starts with it, and listens on "+flags.Listen)}
	if flags.plain() {
		findings = append(findings, diagnosis.Warning("transport", "keys and conversations cross the network as plain text", plainMend))
	}
	findings = append(findings, checkCertificate(&flags, clock.System())...)
	findings = append(findings, checkIssuer(ctx, &flags)...)
	findings = append(findings, checkMail(ctx, &flags)...)
	findings = append(findings, checkPush(&flags)...)
	keys, err := flags.secretKeys()
	if err != nil {
		return append(findings, diagnosis.Failed("secret key", err.Error(), "Correct it; on PostgreSQL it is the same on every node."))
	}
	if len(keys) == 0 && flags.DatabaseURL != "" {
		findings = append(findings, diagnosis.Warning("secret key",
			"FERMATA_SECRET_KEY is not set: provider keys and webhook URLs cannot be stored",
			"Set it (openssl rand -base64 32), the same on every node, or name variables in api_key_env."))
	}
	findings = append(findings, checkCollector(ctx, &flags.Tracing)...)
	return append(findings, checkDatabase(ctx, &flags, keys)...)
}

// inWords is an error without its code, for people.
func inWords(err error) string {
	told, ok := errors.AsType[*domain.Error](err)
	switch {
	case !ok:
		return err.Error()
	case told.Err != nil:
		return told.Message + " (" + told.Err.Error() + ")"
	}
	return told.Message
}

// elsewhere says whether the server that people use is on another machine.
func elsewhere(address string) bool {
	u, err := url.Parse(address)
	return err != nil || !auth.LoopbackHost(u.Host)
}

// checkIssuer asks the issuer that people sign in at.
func checkIssuer(ctx context.Context, flags *Config) []diagnosis.Finding {
	if flags.OIDCIssuer == "" {
		return nil
	}
	const mend = "Look at the issuer, and at FERMATA_OIDC_ISSUER: it is what the issuer calls itself, letter by letter."
	var ahead time.Duration
	party, err := flags.party(clock.System, nil)
	if err == nil {
		ahead, err = oidc.New(party).Check(ctx)
	}
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("issuer", inWords(err), mend)}
	}
	findings := []diagnosis.Finding{diagnosis.OK("issuer",
		flags.OIDCIssuer+" answers and publishes its keys; it must know the redirect URI "+party.RedirectURL)}
	if ahead != 0 {
		way := "ahead of"
		if ahead < 0 {
			way = "behind"
		}
		findings = append(findings, diagnosis.Warning("issuer", fmt.Sprintf("its clock is %s %s this machine's: its tokens may be refused as too early or too late",
			ahead.Abs(), way), "Set both clocks by NTP; a minute apart is tolerated."))
	}
	if flags.OIDCRoleClaim == "" {
		findings = append(findings, diagnosis.Warning("issuer", "everybody whom it knows is a member here",
			"Set FERMATA_OIDC_ROLE_CLAIM to the claim that says who may do what."))
	}
	return findings
}

// checkSealed looks whether the keys open what is stored.
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
			diagnosis.Failed("secret key", flags.wrongKey(!s.Any(), lost, all), "Give the server the key that sealed them."),
		}
	case all > 0:
		return []diagnosis.Finding{diagnosis.OK("secret key", fmt.Sprintf("it opens every stored secret (%d)", all))}
	}
	return nil
}
