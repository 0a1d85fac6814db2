package auth

import (
	"context"
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// keyRows is a database with some keys.
type keyRows struct {
	all     []*people.Key
	revoked string
}

func (r *keyRows) InsertKey(_ context.Context, key *people.Key, check func(first bool) error) error {
	if err := check(len(r.all) == 0); err != nil {
		return err
	}
	r.all = append(r.all, key)
	return nil
}

func (r *keyRows) RevokeKey(_ context.Context, _, id string, may func(all []*people.Key) error) error {
	if may != nil {
		if err := may(r.all); err != nil {
			return err
		}
	}
	r.revoked = id
	return nil
}

// The first key closes an open server, so it has to manage keys, unless something else does.
func TestTheFirstKey(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for name, c := range map[string]struct {
		service KeyService
		before  int
		role    domain.Role
		closed  bool
		refused bool
	}{
		"an admin's":               {KeyService{}, 0, domain.RoleAdmin, true, false},
		"a member's":               {KeyService{}, 0, domain.RoleMember, true, true},
		"a member's, with a root":  {KeyService{RootKey: true}, 0, domain.RoleMember, false, false},
		"a member's, with people":  {KeyService{Issuer: true}, 0, domain.RoleMember, false, false},
		"a member's, as a further": {KeyService{}, 1, domain.RoleMember, false, false},
	} {
		rows := &keyRows{all: make([]*people.Key, c.before)}
		s := c.service
		s.Rows, s.Clock, s.NewID = rows, func() time.Time { return now }, func(prefix string) string { return prefix + "_1" }
		key, text, closed, err := s.Create(t.Context(), "ws", NewKey{Name: "ci", Role: c.role})
		if closed != c.closed || (err != nil) != c.refused || err == nil && (text == "" || key.Role != c.role || !key.CreatedAt.Equal(now)) {
			t.Errorf("%s: closed %v, %v, %+v", name, closed, err, key)
		}
	}
}

// The last key that manages keys stays, unless the operator has a root key.
func TestTheLastKey(t *testing.T) {
	for name, c := range map[string]struct {
		root bool
		all  []*people.Key
		want bool
	}{
		"the only admin":        {false, []*people.Key{{ID: "key_1", Role: domain.RoleAdmin}, {ID: "key_2", Role: domain.RoleMember}}, false},
		"one of two":            {false, []*people.Key{{ID: "key_1", Role: domain.RoleAdmin}, {ID: "key_2", Role: domain.RoleAdmin}}, true},
		"the only, with a root": {true, []*people.Key{{ID: "key_1", Role: domain.RoleAdmin}, {ID: "key_2", Role: domain.RoleMember}}, true},
	} {
		rows := &keyRows{all: c.all}
		s := KeyService{Rows: rows, RootKey: c.root, Clock: func() time.Time { return time.Unix(1, 0) }}
		if err := s.RevokeKey(t.Context(), "ws", "key_1"); (err == nil) != c.want || (rows.revoked == "key_1") != c.want {
			t.Errorf("%s: %v, %q is revoked", name, err, rows.revoked)
		}
	}
}
