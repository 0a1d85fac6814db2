// Package dsn reads the address of a PostgreSQL server, and keeps the password in it out
// of every error.
package dsn

import (
	"context"
	"database/sql/driver"
	"fmt"
	"net/url"
	"strings"

	"github.com/lib/pq"
)

// Parse reads where a PostgreSQL server is and how to sign in. What is wrong with it
// is told without a piece of it: the usual mistake is a password that was not escaped,
// and then any part may be one of the password.
func Parse(dsn string) (pq.Config, error) {
	if strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://") {
		u, err := url.Parse(dsn)
		if err != nil || cutShort(u) {
			return pq.Config{}, errUnreadable("")
		}
	}
	cfg, err := pq.NewConfig(dsn)
	if err != nil {
		return pq.Config{}, errUnreadable(settingIn(err))
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
