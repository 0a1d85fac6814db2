package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

// databaseFlags say where the data is kept.
type databaseFlags struct {
	DataDir               string `help:"Directory of the SQLite database, the lock file and the secret key." default:"./data" env:"FERMATA_DATA_DIR" type:"path"`
	DatabaseURL           string `help:"PostgreSQL URL; empty: SQLite in the data directory." env:"FERMATA_DATABASE_URL"`
	DatabaseDirectURL     string `help:"URL of the PostgreSQL server itself, where FERMATA_DATABASE_URL leads to a pooler." env:"FERMATA_DATABASE_DIRECT_URL"`
	DatabaseDirectURLFile string `help:"File that holds it." env:"FERMATA_DATABASE_DIRECT_URL_FILE" hidden:""`
	DatabaseURLFile       string `help:"File that holds the PostgreSQL URL." env:"FERMATA_DATABASE_URL_FILE" hidden:""`
}

// serverFlags are the configuration of the server: flags over environment over file
// over defaults.
type serverFlags struct {
	databaseFlags  `embed:""`
	Listen         string        `help:"Address to listen on." default:"127.0.0.1:8080" env:"FERMATA_LISTEN"`
	MetricsListen  string        `help:"Address of a listener of their own for the metrics, without credentials; empty: none." env:"FERMATA_METRICS_LISTEN"`
	AllowedOrigins []string      `help:"Origins of other front ends whose pages may use the API: scheme://host[:port], comma-separated." env:"FERMATA_ALLOWED_ORIGINS"`
	RootKey        string        `help:"Key that manages workspaces (32 characters or more)." env:"FERMATA_ROOT_KEY"`
	RootKeyFile    string        `help:"File that holds the root key." env:"FERMATA_ROOT_KEY_FILE" hidden:""`
	SecretKey      string        `help:"Key that seals provider keys and webhook URLs (32 bytes, base64; older keys behind it, comma-separated); with SQLite made in the data directory if absent." env:"FERMATA_SECRET_KEY"`
	SecretKeyFile  string        `help:"File that holds the secret key." env:"FERMATA_SECRET_KEY_FILE" hidden:""`
	LeaseTTL       time.Duration `help:"How long a node that went silent keeps its sessions." default:"15s" env:"FERMATA_LEASE_TTL"`
	AllowedHosts   []string      `help:"Private hosts that requests may go to: host[:port] or CIDR, comma-separated." env:"FERMATA_ALLOWED_HOSTS"`
	ProviderEnv    []string      `help:"Environment variables that providers may name in api_key_env: NAME, PREFIX* or NAME@https://host, comma-separated; default: the vendors' usual names and FERMATA_PROVIDER_KEY_*." env:"FERMATA_PROVIDER_ENV"`
	PublicURL      string        `help:"URL under which clients reach this server." env:"FERMATA_PUBLIC_URL"`
	EventRetention time.Duration `help:"How long the log of events is kept (at least 7 days)." default:"168h" env:"FERMATA_EVENT_RETENTION"`
	LogLevel       string        `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error" env:"FERMATA_LOG_LEVEL"`
	NodeID         string        `help:"Name of this node; default: host name and port." env:"FERMATA_NODE_ID"`
	ShutdownGrace  time.Duration `help:"How long running effects may go on at shutdown." default:"20s" env:"FERMATA_SHUTDOWN_GRACE"`

	ScriptProvider bool `help:"Offer providers of kind script, whose answers are written beforehand: for tests." env:"FERMATA_SCRIPT_PROVIDER"`

	AcceptUnreadableSecrets bool `help:"Start although stored secrets were sealed with another key, which is lost." env:"FERMATA_ACCEPT_UNREADABLE_SECRETS"`

	Rate rateFlags `embed:"" prefix:"rate-"`
}

// fromFiles fills secrets that were given as files.
func fromFiles(pairs map[*string]string) error {
	for value, path := range pairs {
		if path == "" {
			continue
		}
		if *value != "" {
			return fmt.Errorf("a secret was given twice: by itself and as the file %s; keep one", path)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read a secret: %w", err)
		}
		*value = strings.TrimSpace(string(b))
	}
	return nil
}

// resolve reads the secrets' files.
func (f *databaseFlags) resolve() error {
	return fromFiles(map[*string]string{&f.DatabaseURL: f.DatabaseURLFile, &f.DatabaseDirectURL: f.DatabaseDirectURLFile})
}

// resolve completes the configuration and refuses what cannot work.
func (f *serverFlags) resolve() error {
	if err := f.databaseFlags.resolve(); err != nil {
		return err
	}
	if err := fromFiles(map[*string]string{&f.RootKey: f.RootKeyFile, &f.SecretKey: f.SecretKeyFile}); err != nil {
		return err
	}
	if err := f.checkAccess(); err != nil {
		return err
	}
	if f.LeaseTTL < 3*time.Second {
		return fmt.Errorf("FERMATA_LEASE_TTL is %s; at least 3s are needed", f.LeaseTTL)
	}
	if f.EventRetention < 7*24*time.Hour {
		return fmt.Errorf("FERMATA_EVENT_RETENTION is %s; at least 168h (7 days) are kept", f.EventRetention)
	}
	if _, err := parseProviderEnv(f.ProviderEnv); err != nil {
		return err
	}
	if err := f.Rate.check(); err != nil {
		return err
	}
	if f.NodeID == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "node"
		}
		_, port, _ := net.SplitHostPort(f.Listen)
		f.NodeID = host + ":" + port
	}
	return nil
}

// sqlitePath is where the embedded database is.
func (f *databaseFlags) sqlitePath() string { return filepath.Join(f.DataDir, "fermata.db") }

// newLogger logs JSON lines, or readable ones on a terminal.
func newLogger(level string) zerolog.Logger {
	parsed, err := zerolog.ParseLevel(level)
	if err != nil {
		parsed = zerolog.InfoLevel
	}
	zerolog.TimeFieldFormat = time.RFC3339Nano
	logger := zerolog.New(os.Stderr)
	if info, err := os.Stderr.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		logger = zerolog.New(zerolog.ConsoleWriter{Out: os.Stderr, TimeFormat: time.TimeOnly})
	}
	return logger.Level(parsed).With().Timestamp().Logger()
}
