package domain

import "testing"

func TestAtMostIsTheLesserOfTwoRoles(t *testing.T) {
	for _, c := range []struct{ a, b, want Role }{
		{RoleAdmin, RoleMember, RoleMember}, {RoleMember, RoleAdmin, RoleMember}, {RoleRoot, RoleAdmin, RoleAdmin},
		{RoleMember, RoleMember, RoleMember}, {RoleViewer, RoleRoot, RoleViewer}, {RoleAdmin, "", ""}, {"", RoleAdmin, ""}, {"", "", ""},
	} {
		if got := c.a.AtMost(c.b); got != c.want {
			t.Errorf("%q at most %q is %q, want %q", c.a, c.b, got, c.want)
		}
	}
}

func TestASessionActsWithTheRightsOfItsRound(t *testing.T) {
	for name, c := range map[string]struct {
		session Session
		want    Role
	}{
		"a chat as its author":                   {Session{Type: Chat, State: SessionState{RoundState: RoundState{RoundRole: RoleAdmin}}}, RoleAdmin},
		"a chat begun before roles were kept":    {Session{Type: Chat}, RoleMember},
		"a run as who configured the automation": {Session{Type: Run}, RoleAdmin},
		"a run in which a member spoke":          {Session{Type: Run, State: SessionState{RoundState: RoundState{RoundRole: RoleMember}}}, RoleMember},
		"an agent of an unknown":                 {Session{Type: Agent}, RoleAdmin},
	} {
		if got := c.session.ActsAs(); got != c.want {
			t.Errorf("%s acts as %q, want %q", name, got, c.want)
		}
	}
}
