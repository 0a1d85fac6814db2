package cli

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// distrusted says what to do about a server whose certificate is not believed; "" where that is not what
// is wrong with it.
func distrusted(err error) string {
	if unknown, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok || unknown.Err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "Renew the server's certificate (FERMATA_TLS_CERT, or the proxy's in front): it is read again by itself. " +
			"If it is good, the clock of this machine is wrong."
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "Use a name that its certificate is for (--url, FERMATA_URL)."
	}
	return "Have this machine trust the authority that signed its certificate (on Linux: SSL_CERT_FILE)."
}
