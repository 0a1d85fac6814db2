package certificate

import (
	"crypto/tls"
	"fmt"
	"time"

	"github.com/fermata-dev/fermata/internal/diagnosis"
)

// Diagnose checks the validity of the certificate in two PEM files, whose names are empty if there is none.
func Diagnose(certFile, keyFile string, now time.Time) []diagnosis.Finding {
	const check, fix = "certificate", "Renew it in the same place; the server reloads it automatically."
	if certFile == "" && keyFile == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return []diagnosis.Finding{diagnosis.Failed(check, err.Error(),
			"Check FERMATA_TLS_CERT and FERMATA_TLS_KEY: matching PEM files that the server's user can read.")}
	}
	until := pair.Leaf.NotAfter
	details := fmt.Sprintf("for %v, valid until %s", pair.Leaf.DNSNames, until.UTC().Format(time.DateOnly))
	switch {
	case now.After(until):
		return []diagnosis.Finding{diagnosis.Failed(check, "it has expired: "+details, fix)}
	case now.Before(pair.Leaf.NotBefore):
		return []diagnosis.Finding{diagnosis.Failed(check, "it is not valid before "+pair.Leaf.NotBefore.UTC().Format(time.DateOnly),
			"Check the clock of this machine, or wait.")}
	case until.Sub(now) < expiresSoon:
		return []diagnosis.Finding{diagnosis.Warning(check, "it expires soon: "+details, fix)}
	}
	return []diagnosis.Finding{diagnosis.OK(check, details)}
}
