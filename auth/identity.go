package auth

import (
	"crypto/sha256"

	"github.com/fermata-dev/fermata/domain"
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
	// Name is the key's id, or one of the names above. It is recorded as the author of
	// what is done.
	Name string
	// Title is what the key is called, for people; "" for one of the names above.
	Title string

	hash [sha256.Size]byte // of the key, to look whether it still holds
}

// Author is the identity as it is recorded with what is done.
func (id *Identity) Author() domain.Author {
	return domain.Author{ID: id.Name, Name: id.Title, Role: id.Role}
}
