package app

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/rs/zerolog"

	"github.com/fermata-dev/fermata/internal/secretfile"
	"github.com/fermata-dev/fermata/notify"
	"github.com/fermata-dev/fermata/operate"
	"github.com/fermata-dev/fermata/providers/configured"
	"github.com/fermata-dev/fermata/telemetry"
)

// Database configures the database.
type Database = operate.Database

// Network configures TLS, the metrics listener, rate limits and allowed origins.
type Network struct {
	TLSCert        string `help:"File with the TLS certificate and its intermediate certificates (PEM); reloaded when it changes." env:"FERMATA_TLS_CERT"`
	TLSKey         string `help:"File with the private key of the certificate (PEM)." env:"FERMATA_TLS_KEY"`
	MetricsListen  string `help:"Address of a separate listener for metrics, without authentication; if empty, there is none." env:"FERMATA_METRICS_LISTEN"`
	People         `embed:""`
	AllowedOrigins []string `help:"Origins of other front ends that may use the API: scheme://host[:port], comma-separated." env:"FERMATA_ALLOWED_ORIGINS"`
}

// Outside configures outgoing connections.
type Outside struct {
	telemetry.Tracing `embed:""`
	notify.MailConfig `embed:""`
	AllowedHosts      []string `help:"Private hosts that outgoing requests may reach: host[:port] or CIDR, comma-separated." env:"FERMATA_ALLOWED_HOSTS"`
	AllowStdio        *bool    `help:"Allow connectors to start programs on this machine (MCP over stdio); default: only on a server on loopback without keys." env:"FERMATA_ALLOW_STDIO"`
}

// Config configures a server. Its zero value is a server for this machine only: SQLite in ./data and
// the built-in demo provider. The tags define the command-line flags.
type Config struct {
	Database       `embed:""`
	Network        `embed:""`
	Listen         string        `help:"Address to listen on." default:"127.0.0.1:8080" env:"FERMATA_LISTEN"`
	RootKey        string        `help:"Key that manages workspaces (at least 32 characters)." env:"FERMATA_ROOT_KEY" secret:"yes"`
	RootKeyFile    string        `help:"File that contains the root key." env:"FERMATA_ROOT_KEY_FILE" hidden:""`
	SecretKey      string        `help:"Key that encrypts provider keys and webhook URLs (32 bytes, base64; older keys after it, comma-separated); with SQLite, generated in the data directory if absent." env:"FERMATA_SECRET_KEY" secret:"yes"`
	SecretKeyFile  string        `help:"File that contains the secret key." env:"FERMATA_SECRET_KEY_FILE" hidden:""`
	LeaseTTL       time.Duration `help:"How long an unresponsive node keeps its sessions." default:"15s" env:"FERMATA_LEASE_TTL"`
	ProviderEnv    []string      `help:"Environment variables that providers may name in api_key_env: NAME, PREFIX* or NAME@https://host, comma-separated; default: the vendors' usual names and FERMATA_PROVIDER_KEY_*." env:"FERMATA_PROVIDER_ENV"`
	PublicURL      string        `help:"URL under which clients reach this server." env:"FERMATA_PUBLIC_URL"`
	EventRetention time.Duration `help:"How long the event log is kept (at least 7 days)." default:"168h" env:"FERMATA_EVENT_RETENTION"`
	LogLevel       string        `help:"debug, info, warn or error." default:"info" enum:"debug,info,warn,error,DEBUG,INFO,WARN,ERROR" env:"FERMATA_LOG_LEVEL"`
	NodeID         string        `help:"Name of this node; default: host name and port." env:"FERMATA_NODE_ID"`
	ShutdownGrace  time.Duration `help:"How long running work may continue at shutdown." default:"20s" env:"FERMATA_SHUTDOWN_GRACE"`

	ScriptProvider bool `help:"Enable providers of kind script, which return scripted answers: for tests." env:"FERMATA_SCRIPT_PROVIDER"`

	AcceptUnreadableSecrets bool `help:"Start even if stored secrets were encrypted with another key that is lost." env:"FERMATA_ACCEPT_UNREADABLE_SECRETS"`

	Outside `embed:""`

	Rate Rates `embed:"" prefix:"rate-"`

	// Version and Commit identify the program to API clients and in metrics.
	Version string `kong:"-"`
	Commit  string `kong:"-"`
	// Log receives the process log; its zero value discards it.
	Log zerolog.Logger `kong:"-"`
	// TestHooks are for tests. (A field named Hooks would hide the flag of that name.)
	TestHooks Hooks `kong:"-"`
}

// withDefaults applies the defaults of the command line to the fields that an embedding program left
// empty.
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

// resolve reads the secret files and validates the configuration.
func (f *Outside) resolve() error {
	if err := f.ResolveTracing(); err != nil {
		return err
	}
	return f.ResolveMail()
}

// resolve completes and validates the configuration.
func (f *Config) resolve() error {
	if err := f.ReadSecretFiles(); err != nil {
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
		return fmt.Errorf("FERMATA_LEASE_TTL is %s; the minimum is 3s", f.LeaseTTL)
	}
	if f.EventRetention < 7*24*time.Hour {
		return fmt.Errorf("FERMATA_EVENT_RETENTION is %s; the minimum is 168h (7 days)", f.EventRetention)
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

// secretKey is the key that encrypts stored secrets.
func (f *Config) secretKey() operate.SecretKey {
	return operate.SecretKey{Configured: f.SecretKey, Database: &f.Database}
}

// newLogger logs JSON lines, or human-readable lines on a terminal.
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
