package domain

// Author is who does something: a key, or one who has none (root, local, webhook).
// What is done on behalf of an author is done with no more rights than Role has.
type Author struct {
	ID   string // of the key, or the name of one who has none; recorded with what is done
	Name string // of the key, for people; "" where there is none
	Role Role
}

// ActsAs is the role whose rights the present round has: that of its author, or of the
// least of its authors where several people spoke in it. Whoever configured an
// automation is an admin, and so are its runs, until somebody else speaks in one. A
// round of a chat that was begun before roles were recorded has those of a member.
func (s *Session) ActsAs() Role {
	switch {
	case s.State.RoundRole != "":
		return s.State.RoundRole
	case s.Type == Chat:
		return RoleMember
	}
	return RoleAdmin
}
