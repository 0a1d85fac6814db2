package people

import (
	"testing"

	"github.com/fermata-dev/fermata/domain"
)

// TestNameOfAPerson: the name that an admin gave comes before that of the credentials.
func TestNameOfAPerson(t *testing.T) {
	for _, c := range []struct{ name, renamed, want string }{{"Ada", "", "Ada"}, {"Ada", "Countess", "Countess"}, {"", "", ""}} {
		if got := (&Person{Name: c.name, Renamed: c.renamed}).DisplayName(); got != c.want {
			t.Errorf("%q, renamed to %q, is displayed as %q", c.name, c.renamed, got)
		}
	}
}

// TestWhatTheCredentialsChange: name and role follow them, and nothing else does.
func TestWhatTheCredentialsChange(t *testing.T) {
	stored := &Person{Name: "Ada", Role: domain.RoleMember, Renamed: "Countess"}
	for name, c := range map[string]struct {
		now     Person
		differs bool
	}{
		"the same":     {Person{Name: "Ada", Role: domain.RoleMember}, false},
		"another name": {Person{Name: "Ada L.", Role: domain.RoleMember}, true},
		"another role": {Person{Name: "Ada", Role: domain.RoleAdmin}, true},
	} {
		if got := stored.Differs(&c.now); got != c.differs {
			t.Errorf("%s: %v", name, got)
		}
	}
}
