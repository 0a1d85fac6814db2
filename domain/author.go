package domain

// Author is who does something: a key, or one who has none (root, local, webhook).
// What is done on behalf of an author is done with no more rights than Role has.
type Author struct {
	ID   string // of the key, or the name of one who has none; recorded with what is done
	Name string // of the key, for people; "" where there is none
	Role Role
	// Person is the id of the person, per_…; "" for one who is no person of the workspace: a link, a webhook.
	Person string `json:"Person,omitempty"`
}

// ActsAs is the role whose rights the current round has: its author's, or the lowest of its authors'. An
// automation is configured by an admin, so its runs have an admin's rights until another person writes in
// one. Rounds of chats from before roles were recorded have a member's.
func (s *Session) ActsAs() Role {
	switch {
	case s.State.RoundRole != "":
		return s.State.RoundRole
	case s.Type == Chat:
		return RoleMember
	}
	return RoleAdmin
}
