package app

import (
	"context"
	"net/url"
	"time"

	"github.com/fermata-dev/fermata/auth"
	"github.com/fermata-dev/fermata/auth/oidc"
	"github.com/fermata-dev/fermata/internal/certificate"
	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/operate"
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
	doctor := operate.Doctor{SecretKey: flags.secretKey(), Checks: []func(context.Context) []diagnosis.Finding{
		flags.checkTransport,
		func(context.Context) []diagnosis.Finding {
			return certificate.Diagnose(flags.TLSCert, flags.TLSKey, clock.System())
		},
		flags.checkIssuer,
		func(ctx context.Context) []diagnosis.Finding { return flags.DiagnoseMail(ctx, flags.PublicURL) },
		func(context.Context) []diagnosis.Finding {
			return notify.DiagnosePush(flags.PublicURL, flags.Contact(flags.pageURL()))
		},
		flags.DiagnoseTracing,
	}}
	return doctor.Diagnose(ctx)
}

// DiagnoseBackup checks the age of the newest backup of the server on this machine.
func DiagnoseBackup(flags Config, address string, within time.Duration) []diagnosis.Finding {
	if elsewhere(address) || flags.resolve() != nil {
		return nil // see Diagnose
	}
	return flags.Database.DiagnoseBackup(within, clock.System())
}

// elsewhere reports whether the server in use is on another machine.
func elsewhere(address string) bool {
	u, err := url.Parse(address)
	return err != nil || !auth.LoopbackHost(u.Host)
}

// checkTransport reports whether credentials cross the network unencrypted.
func (f *Config) checkTransport(context.Context) []diagnosis.Finding {
	findings := []diagnosis.Finding{diagnosis.OK("configuration", "valid; a server would listen on "+f.Listen)}
	if f.plain() {
		findings = append(findings, diagnosis.Warning("transport", "keys and conversations cross the network unencrypted", plainFix))
	}
	return findings
}

// checkIssuer queries the OpenID Connect issuer.
func (f *Config) checkIssuer(ctx context.Context) []diagnosis.Finding {
	if f.OIDCIssuer == "" {
		return nil
	}
	party, err := f.party(clock.System, nil)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed("issuer", err.Error(), "Correct the configuration of sign-in.")}
	}
	return oidc.New(party).Diagnose(ctx)
}
