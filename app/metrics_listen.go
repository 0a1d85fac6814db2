package app

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"time"
)

// metricsListener serves only /metrics, on a separate address, without authentication.
type metricsListener struct {
	app      *App
	listener net.Listener
	http     *http.Server
}

func newMetricsListener(a *App) *metricsListener {
	routes := http.NewServeMux()
	routes.Handle("GET /metrics", a.metrics.page())
	return &metricsListener{app: a, http: &http.Server{
		Handler: routes, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10, ErrorLog: stdlog.New(a.log, "", 0),
	}}
}

// Start listens if an address is configured.
func (m *metricsListener) Start(ctx context.Context) error {
	if m.app.flags.MetricsListen == "" {
		return nil
	}
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", m.app.flags.MetricsListen)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", m.app.flags.MetricsListen, err)
	}
	m.listener = listener
	go func() {
		if err := m.http.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
			m.app.log.Error().Err(err).Msg("the listener for metrics ended")
		}
	}()
	return nil
}

// Stop waits for a running scrape.
func (m *metricsListener) Stop(ctx context.Context) error {
	if m.http.Shutdown(ctx) != nil {
		return m.http.Close()
	}
	return nil
}
