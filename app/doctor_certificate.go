package app

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// checkCertificate looks whether what the server shows to browsers is good, and for how long.
func checkCertificate(flags *Config, now time.Time) []diagnosis.Finding {
	const check, mend = "certificate", "Renew it at its place; the server reads it again by itself."
	if flags.TLSCert == "" && flags.TLSKey == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(flags.TLSCert, flags.TLSKey)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed(check, err.Error(),
			"Look at FERMATA_TLS_CERT and FERMATA_TLS_KEY: PEM files that belong together, and that the server's user may read.")}
	}
	until := pair.Leaf.NotAfter
	said := fmt.Sprintf("for %v, good until %s", pair.Leaf.DNSNames, until.UTC().Format(time.DateOnly))
	switch {
	case now.After(until):
		return []diagnosis.Finding{diagnosis.Failed(check, "it has expired: "+said, mend)}
	case now.Before(pair.Leaf.NotBefore):
		return []diagnosis.Finding{diagnosis.Failed(check, "it is not good yet: from "+pair.Leaf.NotBefore.UTC().Format(time.DateOnly),
			"Look at the clock of this machine, or wait.")}
	case until.Sub(now) < expiresSoon:
		return []diagnosis.Finding{diagnosis.Warning(check, "it expires soon: "+said, mend)}
	}
	return []diagnosis.Finding{diagnosis.OK(check, said)}
}
