package people

import (
	"testing"
	"time"

	"github.com/fermata-dev/fermata/domain"
)

var keyTime = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func adminKey(id string, change ...func(*Key)) *Key {
	k := &Key{ID: id, Role: domain.RoleAdmin}
	for _, c := range change {
		c(k)
	}
	return k
}

func keyRole(role domain.Role) func(*Key) { return func(k *Key) { k.Role = role } }
func keyRevoked(k *Key)                   { k.RevokedAt = &keyTime }
func keyExpires(at time.Time) func(*Key)  { return func(k *Key) { k.ExpiresAt = &at } }
func keysOf(keys ...*Key) []*Key          { return keys }

func refusal(err error) domain.Code {
	if err == nil {
		return ""
	}
	return domain.ErrorCode(err)
}

func TestFirstKey(t *testing.T) {
	for name, c := range map[string]struct {
		key  *Key
		want domain.Code
	}{
		"admin":           {adminKey("a"), ""},
		"admin for a day": {adminKey("a", keyExpires(keyTime)), domain.CodeFirstKey},
		"member":          {adminKey("a", keyRole(domain.RoleMember)), domain.CodeFirstKey},
		"viewer":          {adminKey("a", keyRole(domain.RoleViewer)), domain.CodeFirstKey},
	} {
		if got := refusal(c.key.MayBeFirst()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestLastAdminKey(t *testing.T) {
	later := keyExpires(keyTime.Add(time.Hour))
	for name, c := range map[string]struct {
		all  []*Key
		want domain.Code
	}{
		"the only one":                         {keysOf(adminKey("a")), domain.CodeLastAdminKey},
		"another admin":                        {keysOf(adminKey("a"), adminKey("b")), ""},
		"another member":                       {keysOf(adminKey("a"), adminKey("b", keyRole(domain.RoleMember))), domain.CodeLastAdminKey},
		"another that is revoked":              {keysOf(adminKey("a"), adminKey("b", keyRevoked)), domain.CodeLastAdminKey},
		"another that expires":                 {keysOf(adminKey("a"), adminKey("b", later)), domain.CodeLastAdminKey},
		"one that expires, beside another":     {keysOf(adminKey("a", later), adminKey("b")), ""},
		"one that expires, alone":              {keysOf(adminKey("a", later)), domain.CodeLastAdminKey},
		"one whose time is over":               {keysOf(adminKey("a", keyExpires(keyTime))), ""},
		"revoked before":                       {keysOf(adminKey("a", keyRevoked)), ""},
		"a member's, beside the only admin":    {keysOf(adminKey("a", keyRole(domain.RoleMember)), adminKey("b")), ""},
		"a member's, and no admin in any case": {keysOf(adminKey("a", keyRole(domain.RoleMember))), ""},
		"ownerless":                            {keysOf(adminKey("b", keyRevoked)), ""},
	} {
		if got := refusal(MayRevoke("a", c.all, keyTime)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestExpiry(t *testing.T) {
	k := adminKey("a", keyExpires(keyTime))
	if k.Expired(keyTime.Add(-1)) || !k.Expired(keyTime) || adminKey("b").Expired(keyTime) {
		t.Error("a key ends at the instant that it names")
	}
}
