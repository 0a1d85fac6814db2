package app

import (
	"context"
	"fmt"
	"io"
	stdlog "log"
	"os/signal"
	"syscall"
	"time"

	"github.com/fermata-dev/fermata/internal/clock"
	"github.com/fermata-dev/fermata/internal/diagnosis"
	"github.com/fermata-dev/fermata/internal/memory"
	"github.com/fermata-dev/fermata/web"
)

// stopMargin is the time allowed for stopping beyond the grace period of running effects.
const stopMargin = 10 * time.Second

// Serve runs a server, with its log on standard error, until the process receives SIGTERM or SIGINT,
// which stop it gracefully; a second signal kills it. Findings about its start are logged.
func Serve(config Config, found ...diagnosis.Finding) error {
	started := clock.System()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	log := newLogger(config.LogLevel)
	config.Log = log
	silenceLibraries()
	if err := memory.Close(); err != nil {
		log.Warn().Err(err).Msg("other programs of the server's user can read its memory and its environment")
	}
	for _, f := range found {
		log.Warn().Str("fix", f.Fix).Msg(f.Detail)
	}
	a, err := open(ctx, config)
	if err != nil {
		return err
	}
	if err := a.Start(ctx); err != nil {
		return err
	}
	log.Info().Str("url", a.URL()).Str("version", config.Version).Str("database", a.store.Kind()).
		Str("node", a.flags.NodeID).Dur("took_ms", clock.System().Sub(started)).Msg("Fermata is ready")
	if !web.Built {
		log.Warn().Str("fix", "make build, with Node.js 20 or newer").Msg("The web app is not included in this binary; the API is complete")
	}
	<-ctx.Done()
	cancel() // from now on a second signal kills
	log.Info().Msg("stopping")
	stop, done := context.WithTimeout(context.Background(), a.flags.ShutdownGrace+stopMargin)
	defer done()
	if err := a.Stop(stop); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	log.Info().Msg("stopped")
	return nil
}

// silenceLibraries disables the standard log, which Fermata does not use: a vendor's library may log
// session content, or misleading messages (Gemini's about keys in the environment).
func silenceLibraries() { stdlog.SetOutput(io.Discard) }
