package remote

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
)

// Distrusted suggests a fix for an untrusted certificate; "" for other errors.
func Distrusted(err error) string {
	if unknown, ok := errors.AsType[*tls.CertificateVerificationError](err); !ok || unknown.Err == nil {
		return ""
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "Renew the server's certificate (FERMATA_TLS_CERT, or the proxy's); it is reloaded automatically. " +
			"If it is valid, the clock of this machine is wrong."
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "Use a host name that its certificate is valid for (--url, FERMATA_URL)."
	}
	return "Add the authority that signed its certificate to the trusted ones on this machine (on Linux: SSL_CERT_FILE)."
}
