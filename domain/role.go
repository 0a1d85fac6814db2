package domain

// Role is what a caller may do.
type Role string

const (
	RoleViewer Role = "viewer" // reads
	RoleMember Role = "member" // talks and answers
	RoleAdmin  Role = "admin"  // configures
	RoleRoot   Role = "root"   // manages workspaces; from the environment, never stored
)

// Allows reports whether the role r includes the role needed.
func (r Role) Allows(needed Role) bool {
	rank := map[Role]int{RoleViewer: 1, RoleMember: 2, RoleAdmin: 3, RoleRoot: 4}
	return rank[r] >= rank[needed] && rank[needed] > 0
}

// AtMost is the one of two roles that may do less; a role that is not known may do
// nothing.
func (r Role) AtMost(other Role) Role {
	if r.Allows(other) || !RoleRoot.Allows(other) {
		return other
	}
	return r
}
