package certificate

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/clock"
)

// Certificate is the TLS certificate. It is reloaded when its files change, so that a renewal needs no
// restart.
type Certificate struct {
	certFile, keyFile string
	clock             clock.Clock
	log               zerolog.Logger

	mu      sync.Mutex
	shown   *tls.Certificate
	written [2]time.Time // modification times of the files at the last attempt to load them
	looked  time.Time
	warned  time.Time // when the last warning of its expiry was logged
	problem string    // why the current files cannot be used; "" if they are in use
}

const (
	// lookEvery is the longest delay until a renewed certificate is noticed.
	lookEvery = time.Second
	// expiresSoon is the remaining validity at which warnings begin.
	expiresSoon = 7 * 24 * time.Hour
	// warnEvery is the interval between warnings.
	warnEvery = 24 * time.Hour
)

// Open loads the certificate of two PEM files; nil if there is none.
func Open(certFile, keyFile string, c clock.Clock, log zerolog.Logger) (*Certificate, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	if certFile == "" || keyFile == "" {
		return nil, errors.New("FERMATA_TLS_CERT and FERMATA_TLS_KEY must be set together: one of them is missing")
	}
	loaded := &Certificate{certFile: certFile, keyFile: keyFile, clock: c, log: log}
	if err := loaded.read(); err != nil {
		return nil, fmt.Errorf("read the TLS certificate: %w", err)
	}
	return loaded, nil
}

// read loads the current files.
func (c *Certificate) read() error {
	var err error
	if c.written, err = c.stamps(); err != nil {
		return err
	}
	fresh, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("%s with %s: %w", c.certFile, c.keyFile, err)
	}
	c.shown = &fresh
	c.warned = time.Time{}
	if !c.warn() {
		c.log.Info().Time("valid_until", fresh.Leaf.NotAfter).Strs("names", fresh.Leaf.DNSNames).Msg("the TLS certificate was loaded")
	}
	return nil
}

// warn logs a warning if the certificate expires soon or has expired, and reports whether it does.
func (c *Certificate) warn() bool {
	now, until := c.clock(), c.shown.Leaf.NotAfter
	if until.After(now.Add(expiresSoon)) {
		return false
	}
	if now.Sub(c.warned) < warnEvery {
		return true
	}
	c.warned = now
	text := "the TLS certificate expires soon"
	if !until.After(now) {
		text = "the TLS certificate has expired: clients refuse to connect"
	}
	c.log.Warn().Time("valid_until", until).Str("fix", "renew it; the server reloads the files automatically").Msg(text)
	return true
}

func (c *Certificate) stamps() (written [2]time.Time, err error) {
	for i, path := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			return written, fmt.Errorf("stat %s: %w", path, err)
		}
		written[i] = info.ModTime()
	}
	return written, nil
}

// get is called at each handshake. If the files cannot be used, the previous certificate stays in use,
// and the log says so once for each change.
func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	shown, _ := c.look()
	return shown, nil
}

// look returns the certificate in use, and whether its current files cannot be used. It is called at
// each handshake and scrape, and by housekeeping.
func (c *Certificate) look() (shown *tls.Certificate, unusable bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.clock(); now.Sub(c.looked) >= lookEvery {
		c.looked = now
		c.renew()
	}
	return c.shown, c.problem != ""
}

func (c *Certificate) renew() {
	written, gone := c.stamps()
	if gone == nil && written == c.written {
		c.warn()
		return
	}
	err := c.read()
	if err == nil {
		c.problem = ""
		return
	}
	// A missing file looks changed each time.
	if problem := err.Error(); gone == nil || problem != c.problem {
		c.problem = problem
		c.log.Warn().Err(err).Time("valid_until", c.shown.Leaf.NotAfter).
			Str("fix", "put both files in their place; the server reloads them automatically").
			Msg("the new TLS certificate cannot be used; the previous one stays in use")
	}
	c.warn()
}

// Look reloads changed files, and logs a warning if the certificate expires soon. A connection does so too: on an idle
// server it is called periodically.
func (c *Certificate) Look() { _, _ = c.look() }

// Over wraps a listener in TLS; without a certificate it returns it unchanged.
func (c *Certificate) Over(listener net.Listener) net.Listener {
	if c == nil {
		return listener
	}
	return tls.NewListener(listener, &tls.Config{
		GetCertificate: c.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	})
}
