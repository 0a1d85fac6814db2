package auth

import (
	"crypto/sha256"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// Names of those who have no key of their own.
const (
	NameRoot  = "root"
	NameLocal = "local" // on the open server
)

// Identity is who makes a request.
type Identity struct {
	Workspace string
	Role      domain.Role
	// Name is the id of the key or of the person, or one of the names above. It is recorded as the author of
	// what is done.
	Name string
	// Title is what the key is called, or the person, for people; "" for one of the names
	// above.
	Title string
	// Person is the id of the person in the workspace, per_….
	Person string
	// Method is how the caller came in.
	Method Method
	// Key is the caller's, SignIn the browser's; nil without one.
	Key    *people.Key
	SignIn *people.SignedIn

	user       string   // for whom a program acts, by its own id; "": it acts for itself
	workspaces []string // of a person, the one where they come in first
	holder     people.Holder
	hash       [sha256.Size]byte // of the key or the cookie, to look whether it still holds
	until      time.Time         // of a token
}

// Method is how the caller was authenticated.
type Method string

const (
	MethodLocal Method = "local" // without credentials, from this machine
	MethodRoot  Method = "root_key"
	MethodKey   Method = "key"
	MethodOIDC  Method = "oidc"
	methodToken Method = "token" // of a person, issued by a program
)

// Home is the workspace where the caller's sign-ins are kept.
func (id *Identity) Home() string {
	switch {
	case id.SignIn != nil:
		return id.SignIn.WorkspaceID
	case len(id.workspaces) > 0:
		return id.workspaces[0]
	case id.Role == domain.RoleRoot:
		return domain.DefaultWorkspace
	}
	return id.Workspace
}

// Workspaces are those that the caller may choose; nil: all there are.
func (id *Identity) Workspaces() []string {
	switch {
	case id.Role == domain.RoleRoot:
		return nil
	case len(id.workspaces) > 0:
		return id.workspaces
	}
	return []string{id.Workspace}
}

// Author is the identity as it is recorded with what is done.
func (id *Identity) Author() domain.Author {
	return domain.Author{ID: id.Name, Name: id.Title, Role: id.Role, Person: id.Person}
}

// Until is when a token ends; nil where there is none.
func (id *Identity) Until() *time.Time { return untilOf(id) }

// TokenEnds is when the token of a person ends that a program issued; nil for all other callers.
func (id *Identity) TokenEnds() *time.Time {
	if id.holder != people.HolderPerson {
		return nil
	}
	return untilOf(id)
}
