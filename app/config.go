package app

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/secretfile"
	"github.com/fermata-dev/fermata/providers/configured"
)

// Database says where the data is kept.
type Database struct {
	DataDir               string `help:"Directory of the SQLite database, the lock file and the secret key." default:"./data" env:"FERMATA_DATA_DIR" type:"path"`
	DatabaseURL           string `help:"PostgreSQL URL; empty: SQLite in the data directory." env:"FERMATA_DATABASE_URL" secret:"url"`
	DatabaseDirectURL     string `help:"URL of the PostgreSQL server itself, where FERMATA_DATABASE_URL leads to a pooler." env:"FERMATA_DATABASE_DIRECT_URL" secret:"url"`
	DatabasePrepared      *bool  `help:"Whether statements are kept prepared; false behind PgBouncer in transaction mode before 1.21. Default: true." env:"FERMATA_DATABASE_PREPARED"`
	DatabaseDirectURLFile string `help:"File that holds it." env:"FERMATA_DATABASE_DIRECT_URL_FILE" hidden:""`
	DatabaseURLFile       string `help:"File that holds the PostgreSQL URL." env:"FERMATA_DATABASE_URL_FILE" hidden:""`
}

// Network is how a server is reached beside its address.
type Network struct {
	TLSCert        string `help:"File with the certificate, and those between it and its root, to speak TLS (PEM); read again when it changes." env:"FERMATA_TLS_CERT"`
	TLSKey         string `help:"File with the certificate's key (PEM)." env:"FERMATA_TLS_KEY"`
	MetricsListen  string `help:"Address of a listener of their own for the metrics, without credentials; empty: none." env:"FERMATA_METRICS_LISTEN"`
	People         `embed:""`
	AllowedOrigins []string `help:"Origins of other front ends whose pages may use the API: scheme://host[:port], comma-separated." env:"FERMATA_ALLOWED_ORIGINS"`
}

// Outside is how far the server reaches beyond itself.
type Outside struct {
	Tracing      `embed:""`
	Mail         `embed:""`
	AllowedHosts []string `help:"Private hosts that requests may go to: host[:port] or CIDR, comma-separated." env:"FERMATA_ALLOWED_HOSTS"`
	AllowStdio   *bool    `help:"Whether connectors may start programs on this machine (MCP over stdio); default: on an open server on loopback." env:"FERMATA_ALLOW_STDIO"`
}

// Config is what a server is started with. Its zero value is a server for this machine
// alone: SQLite in ./data, and the built-in demo answers. The tags are the command line's.
type Config struct {
	Database       `embed:""`
	Network        `embed:""`
	Listen         string        `help:"Address to listen on." default:"127.0.0.1:8080" env:"FERMATA_LISTEN"`
	RootKey        string        `help:"Key that manages workspaces (32 characters or more)." env:"FERMATA_ROOT_KEY" secret:"yes"`
	RootKeyFile    string        `help:"File that holds the root key." env:"FERMATA_ROOT_KEY_FILE" hidden:""`
	SecretKey      string        `help:"Key that seals provider keys and webhook URLs (32 bytes, base64; older keys behind it, comma-separated); with SQLite made in the data directory if absent." env:"FERMATA_SECRET_KEY" secret:"yes"`
	SecretKeyFile  string        `help:"File that holds the secret key." env:"FERMATA_SECRET_KEY_FILE" hidden:""`
	LeaseTTL       time.Duration `help:"How long a node that went silent keeps its sessions." default:"15s" env:"FERMATA_LEASE_TTL"`
	ProviderEnv    []string      `help:"Environment variables that providers may name in api_key_env: NAME, PREFIX* or NAME@https://host, comma-separated; default: the vendors' usual names and FERMATA_PROVIDER_KEY_*." env:"FERMATA_PROVIDER_ENV"`
	PublicURL      string        `help:"URL under which clients reach this server." env:"FERMATA_PUBLIC_URL"`
	EventRetention time.Duration `help:"How long the log of events is kept (at least 7 days)." default:"168h" env:"FERMATA_EVENT_RETENTION"`
	LogLevel       string        `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error,DEBUG,INFO,WARN,ERROR" env:"FERMATA_LOG_LEVEL"`
	NodeID         string        `help:"Name of this node; default: host name and port." env:"FERMATA_NODE_ID"`
	ShutdownGrace  time.Duration `help:"How long running effects may go on at shutdown." default:"20s" env:"FERMATA_SHUTDOWN_GRACE"`

	ScriptProvider bool `help:"Offer providers of kind script, whose answers are written beforehand: for tests." env:"FERMATA_SCRIPT_PROVIDER"`

	AcceptUnreadableSecrets bool `help:"Start although stored secrets were sealed with another key, which is lost." env:"FERMATA_ACCEPT_UNREADABLE_SECRETS"`

	Outside `embed:""`

	Rate Rates `embed:"" prefix:"rate-"`

	// Version and Commit say which program this is, where a client or a scrape asks.
	Version string `kong:"-"`
	Commit  string `kong:"-"`
	// Log takes the lines of the process; its zero value writes none.
	Log zerolog.Logger `kong:"-"`
	// TestHooks are for tests. (A field called Hooks would hide the flag of that name.)
	TestHooks Hooks `kong:"-"`
}

// withDefaults fills in what a program that embeds the server left out. They are the
// defaults of the command line.
func (f Config) withDefaults() Config {
	f.DataDir = cmp.Or(f.DataDir, "./data")
	f.Listen = cmp.Or(f.Listen, "127.0.0.1:8080")
	if f.OIDCScopes == nil {
		f.OIDCScopes = []string{"profile", "email"}
	}
	f.SignInIdle = cmp.Or(f.SignInIdle, 7*24*time.Hour)
	f.SignInLifetime = cmp.Or(f.SignInLifetime, 30*24*time.Hour)
	f.LeaseTTL = cmp.Or(f.LeaseTTL, 15*time.Second)
	f.EventRetention = cmp.Or(f.EventRetention, 7*24*time.Hour)
	f.ShutdownGrace = cmp.Or(f.ShutdownGrace, 20*time.Second)
	f.Version, f.Commit = cmp.Or(f.Version, "dev"), cmp.Or(f.Commit, "unknown")
	return f
}

// resolve reads the secrets' files.
func (f *Database) resolve() error {
	return secretfile.Fill(map[*string]string{&f.DatabaseURL: f.DatabaseURLFile, &f.DatabaseDirectURL: f.DatabaseDirectURLFile})
}

// resolve reads the secrets' files, and refuses what cannot work.
func (f *Outside) resolve() error {
	if err := f.Tracing.resolve(); err != nil {
		return err
	}
	return f.Mail.resolve()
}

// resolve completes the configuration and refuses what cannot work.
func (f *Config) resolve() error {
	if err := f.Database.resolve(); err != nil {
		return err
	}
	if err := f.Outside.resolve(); err != nil {
		return err
	}
	if err := secretfile.Fill(map[*string]string{
		&f.RootKey: f.RootKeyFile, &f.SecretKey: f.SecretKeyFile, &f.OIDCClientSecret: f.OIDCClientSecretFile,
	}); err != nil {
		return err
	}
	if err := f.checkAccess(); err != nil {
		return err
	}
	if err := f.checkPeople(); err != nil {
		return err
	}
	if f.LeaseTTL < 3*time.Second {
		return fmt.Errorf("FERMATA_LEASE_TTL is %s; at least 3s are needed", f.LeaseTTL)
	}
	if f.EventRetention < 7*24*time.Hour {
		return fmt.Errorf("FERMATA_EVENT_RETENTION is %s; at least 168h (7 days) are kept", f.EventRetention)
	}
	if _, err := configured.ParseEnv(f.ProviderEnv); err != nil {
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

// SQLitePath is where the embedded database is.
func (f *Database) SQLitePath() string { return filepath.Join(f.DataDir, "fermata.db") }

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
