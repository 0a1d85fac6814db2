package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
)

// ErrForbidden is returned when a name resolves to an address that requests must not reach.
var ErrForbidden = errors.New("address not allowed (FERMATA_ALLOWED_HOSTS can allow it)")

// MovedError reports a redirect, which is not followed.
type MovedError struct {
	Status int    // of the response; 0: not known
	Origin string // scheme, host and port of the target; empty: it cannot be read
}

func (e *MovedError) Error() string {
	if e.Origin == "" {
		return "moved"
	}
	return "moved to " + e.Origin
}

// Reason is why a request got no response, in terms that reveal nothing about the server's network: neither
// the addresses of a name, nor its resolver, nor what another service responded.
type Reason string

const (
	ReasonForbidden Reason = "not allowed (FERMATA_ALLOWED_HOSTS can allow private hosts)"
	ReasonNotNamed  Reason = "the workspace's setting allowed_hosts does not name this host"
	ReasonNotFound  Reason = "no such host"
	ReasonRefused   Reason = "connection refused"
	ReasonTimeout   Reason = "timed out"
	ReasonMoved     Reason = "moved"
	ReasonTLS       Reason = "no secure connection (TLS)"
	ReasonBrokeOff  Reason = "the connection broke off"
	ReasonNone      Reason = "" // not a network error
)

// ReasonOf classifies an error. Every network error has a reason.
func ReasonOf(err error) Reason {
	var moved *MovedError
	var dns *net.DNSError
	var timeout interface{ Timeout() bool }
	switch {
	case errors.Is(err, ErrForbidden):
		return ReasonForbidden
	case errors.Is(err, ErrNotNamed):
		return ReasonNotNamed
	case errors.As(err, &moved):
		return ReasonMoved
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return ReasonTimeout
	case errors.As(err, &dns):
		return ReasonNotFound
	case errors.Is(err, syscall.ECONNREFUSED):
		return ReasonRefused
	case isTLS(err):
		return ReasonTLS
	case isNetwork(err):
		return ReasonBrokeOff
	}
	return ReasonNone
}

// Kept reports whether the request was blocked by a policy: retrying is useless.
func (r Reason) Kept() bool { return r == ReasonForbidden || r == ReasonNotNamed }

func isTLS(err error) bool {
	var (
		verify *tls.CertificateVerificationError
		record tls.RecordHeaderError
		alert  tls.AlertError
		host   x509.HostnameError
	)
	var sent *net.OpError // a TLS alert, sent by either side
	if errors.As(err, &sent) && (sent.Op == "remote error" || sent.Op == "local error") {
		return true
	}
	return errors.As(err, &verify) || errors.As(err, &record) || errors.As(err, &alert) || errors.As(err, &host)
}

// isNetwork reports errors of the connection, including the client's own (url.Error).
func isNetwork(err error) bool {
	var (
		network net.Error
		client  *url.Error
		number  syscall.Errno
	)
	return errors.As(err, &network) || errors.As(err, &client) || errors.As(err, &number) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
