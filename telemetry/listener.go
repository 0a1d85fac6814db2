package telemetry

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

// Listener serves only /metrics, on a separate address, without authentication.
type Listener struct {
	address  string
	log      zerolog.Logger
	listener net.Listener
	http     *http.Server
}

// NewListener serves the metrics on an address; without one it does nothing.
func NewListener(address string, m *Metrics, log zerolog.Logger) *Listener {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", m.Page())
	return &Listener{address: address, log: log, http: &http.Server{
		Handler: routes, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: stdlog.New(log, "", 0),
	}}
}

// Start listens if an address is configured.
func (l *Listener) Start(ctx context.Context) error {
	if l.address == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", l.address)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", l.address, err)
	}
	l.listener = listener
	go func() {
		if err := l.http.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			l.log.Error().Err(err).Msg("the listener for metrics ended")
		}
	}()
	return nil
}

// Stop waits for a running scrape.
func (l *Listener) Stop(ctx context.Context) error {
	if l.http.Shutdown(ctx) != nil {
		return l.http.Close()
	}
	return nil
}

// Addr is the address of a listener that was started.
func (l *Listener) Addr() string { return l.listener.Addr().String() }
