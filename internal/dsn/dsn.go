// Package dsn reads the address of a PostgreSQL server, and keeps the password in it out
// of every error.
package dsn

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/lib/pq"
)

// Parse reads where a PostgreSQL server is and how to sign in. What is wrong with it
// is told without a piece of it: the usual mistake is a password that was not escaped,
// and then any part may be one of the password.
func Parse(dsn string) (pq.Config, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		dsn = severalHosts(dsn)
		u, err := url.Parse(dsn)
		if err != nil || cutShort(u) {
			return pq.Config{}, errUnreadable("")
		}
	}
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return pq.Config{}, errUnreadable(settingIn(err))
	}
	return forDriver(cfg)
}

// severalHosts moves "h1:p1,h2:p2" from the authority of a URL into its parameters, where the
// driver reads each port as that of its host.
func severalHosts(dsn string) string {
	scheme, rest, _ := strings.Cut(dsn, "://")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, rest := rest[:end], rest[end:]
	at := strings.LastIndex(authority, "@") + 1
	user, all := authority[:at], authority[at:]
	if !strings.Contains(all, ",") {
		return dsn
	}
	var hosts, ports []string
	for one := range strings.SplitSeq(all, ",") {
		host, port, err := net.SplitHostPort(one)
		if err != nil {
			host, port = strings.Trim(one, "[]"), "5432"
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	path, query, _ := strings.Cut(rest, "?")
	if query != "" {
		query = "&" + query
	}
	return scheme + "://" + user + path + "?host=" + url.QueryEscape(strings.Join(hosts, ",")) +
		"&port=" + url.QueryEscape(strings.Join(ports, ",")) + query
}

// unknownToDriver are parameters of libpq that the driver would send to the server as settings,
// which refuses them. true: without it, nothing is less safe that a person relies on, as the
// connection is as encrypted as sslmode says. The others are refused by name.
var unknownToDriver = map[string]bool{
	"channel_binding": true, "gssencmode": true, "gssdelegation": true, "keepalives": true, "keepalives_idle": true,
	"keepalives_interval": true, "keepalives_count": true, "tcp_user_timeout": true, "sslcompression": true,
	"sslcertmode": false, "sslpassword": false, "sslcrl": false, "sslcrldir": false, "sslkeylogfile": false,
	"requirepeer": false, "require_auth": false, "requiressl": false,
	"gsslib": false, "replication": false, "scram_client_key": false, "scram_server_key": false,
	"oauth_issuer": false, "oauth_client_id": false, "oauth_client_secret": false, "oauth_scope": false, "servicefile": false,
}

// forDriver takes out what libpq knows and the driver does not.
func forDriver(cfg pq.Config) (pq.Config, error) {
	if cfg.TargetSessionAttrs == pq.TargetSessionAttrsReadWrite {
		// The connections that only read are read-only by a setting of their own, which the driver
		// would take for a server that cannot be written to.
		cfg.TargetSessionAttrs = pq.TargetSessionAttrsPrimary
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Runtime)) {
		harmless, unknown := unknownToDriver[name]
		if unknown && !harmless {
			return pq.Config{}, fmt.Errorf("read the database URL: the parameter %s is not supported; leave it out", name)
		}
		if unknown {
			delete(cfg.Runtime, name)
		}
	}
	return cfg, nil
}

// cutShort says whether a URL ended where its password has a "#", "/" or "?".
func cutShort(u *url.URL) bool {
	if u.Fragment != "" || strings.ContainsAny(strings.TrimPrefix(u.Path, "/"), "/@") {
		return true
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, _, _ := strings.Cut(part, "="); strings.ContainsAny(name, "/@") {
			return true
		}
	}
	return false
}

// settings that the driver's errors name in quotes; what is wrong with them is not told
// with their value, which may be another's.
var settings = []string{
	"sslmode", "sslrootcert", "sslcert", "sslkey", "port", "connect_timeout", "client_encoding", "datestyle", "target_session_attrs",
	"load_balance_hosts", "service", "passfile",
}

func settingIn(err error) string {
	for _, name := range settings {
		if strings.Contains(err.Error(), name) {
			return name
		}
	}
	return ""
}

func errUnreadable(setting string) error {
	if setting != "" {
		return fmt.Errorf("read the database URL: the value of %s cannot be used", setting)
	}
	return fmt.Errorf("read the database URL: it is none of the form postgres://user:password@host:5432/name?sslmode=verify-full; " +
		"in the password, write special characters as %%23 (#), %%2F (/), %%3A (:), %%3F (?), %%40 (@), %%25 (%%)")
}

// Discreet gives a connector whose errors do not hold the password.
func Discreet(connector driver.Connector, password string) driver.Connector {
	return discreet{connector, password}
}

type discreet struct {
	driver.Connector
	password string
}

// Connect connects, and takes the password out of whatever an error says.
func (d discreet) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := d.Connector.Connect(ctx)
	if err != nil && len(d.password) >= 3 && strings.Contains(err.Error(), d.password) {
		return nil, &redactedError{text: strings.ReplaceAll(err.Error(), d.password, "[password]"), err: err}
	}
	return c, err
}

// redactedError says what another error says, without the password.
type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }

func (e *redactedError) Unwrap() error { return e.err }
