package app

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

// certificate is what the server shows to clients. It is read again when its files have
// changed, so that whoever renews it need not restart anything.
type certificate struct {
	certFile, keyFile string
	clock             clock.Clock
	log               zerolog.Logger

	mu      sync.Mutex
	shown   *tls.Certificate
	written [2]time.Time // of the files, as they were last read, whether that went well or not
	looked  time.Time
	told    time.Time // when the operator was told last that it ends, or has ended
	problem string    // why the files as they are now cannot be used; empty: they are shown
}

const (
	// lookEvery is how long a renewed certificate waits at most to be seen.
	lookEvery = time.Second
	// expiresSoon is when an operator is told that nobody has renewed it.
	expiresSoon = 7 * 24 * time.Hour
	// tellEvery is how often, while nobody does.
	tellEvery = 24 * time.Hour
)

// openCertificate reads the files of the configuration; nil where there are none.
func (a *App) openCertificate() (*certificate, error) {
	f := &a.flags
	if f.TLSCert == "" && f.TLSKey == "" {
		return nil, nil
	}
	if f.TLSCert == "" || f.TLSKey == "" {
		return nil, errors.New("FERMATA_TLS_CERT and FERMATA_TLS_KEY belong together: one of them is missing")
	}
	c := &certificate{certFile: f.TLSCert, keyFile: f.TLSKey, clock: a.clock, log: a.log}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("read the TLS certificate: %w", err)
	}
	a.metrics.registry.MustRegister(c)
	return c, nil
}

// read takes the files as they are now.
func (c *certificate) read() error {
	var err error
	if c.written, err = c.stamps(); err != nil {
		return err
	}
	fresh, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("%s with %s: %w", c.certFile, c.keyFile, err)
	}
	c.shown = &fresh
	c.told = time.Time{}
	if !c.warn() {
		c.log.Info().Time("valid_until", fresh.Leaf.NotAfter).Strs("names", fresh.Leaf.DNSNames).Msg("the TLS certificate was read")
	}
	return nil
}

// warn tells the operator that the certificate ends soon, or has ended, and says whether it does.
func (c *certificate) warn() bool {
	now, until := c.clock(), c.shown.Leaf.NotAfter
	if until.After(now.Add(expiresSoon)) {
		return false
	}
	if now.Sub(c.told) < tellEvery {
		return true
	}
	c.told = now
	text := "the TLS certificate ends soon"
	if !until.After(now) {
		text = "the TLS certificate has ended: clients refuse to connect"
	}
	c.log.Warn().Time("valid_until", until).Str("fix", "renew it; the server reads the files again by itself").Msg(text)
	return true
}

func (c *certificate) stamps() (written [2]time.Time, err error) {
	for i, path := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(path)
		if err != nil {
			return written, fmt.Errorf("look at %s: %w", path, err)
		}
		written[i] = info.ModTime()
	}
	return written, nil
}

// get is asked at each handshake. Files that cannot be used change nothing: the certificate
// that was there before is shown on, and the log says so once for each change.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	shown, _ := c.look()
	return shown, nil
}

// look is what is shown now, and whether the files in its place cannot be used. It is done at each
// handshake and scrape, and by the housekeeping of a server that nobody comes to.
func (c *certificate) look() (shown *tls.Certificate, unusable bool) {
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

func (c *certificate) renew() {
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
	// A file that is gone looks changed each time.
	if problem := err.Error(); gone == nil || problem != c.problem {
		c.problem = problem
		c.log.Warn().Err(err).Time("valid_until", c.shown.Leaf.NotAfter).
			Str("fix", "put both files in their place; the server reads them again by itself").
			Msg("the new TLS certificate cannot be used; the one from before is shown on")
	}
	c.warn()
}

// over makes a listener speak TLS; without a certificate it stays as it is.
func (c *certificate) over(listener net.Listener) net.Listener {
	if c == nil {
		return listener
	}
	return tls.NewListener(listener, &tls.Config{
		GetCertificate: c.get, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"},
	})
}
