package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// personHeader names the user for whom a program acts, by the program's own id.
const personHeader = "Fermata-Person"

// maxUser bounds the id that a program has for a user, in characters.
const maxUser = 256

// ActFor returns the identity of the user for whom a program acts, as the body of a request names them at a pointer. A key
// without the right names no user by it: the identity stays. A user other than that of the header is refused.
func (a *Authenticator) ActFor(ctx context.Context, id *Identity, user, pointer string) (*Identity, error) {
	if id.Key == nil || id.Key.ActsFor == "" || a.config.People == nil {
		return id, nil
	}
	if id.user != "" {
		if id.user != user {
			return nil, errOtherUser(pointer)
		}
		return id, nil
	}
	acting := *id
	if err := acting.actFor(user, pointer); err != nil {
		return nil, err
	}
	if err := a.addPerson(ctx, &acting); err != nil {
		return nil, err
	}
	return &acting, nil
}

func errOtherUser(pointer string) error {
	return domain.Invalid(pointer, "differs", "The header %s and the body name different people. Send one of them.", personHeader)
}

// actForHeader makes the identity that of the user whom the request names in its header.
func (a *Authenticator) actForHeader(r *http.Request, id *Identity) error {
	values, given := r.Header[personHeader]
	switch {
	case !given:
		return nil
	case len(values) != 1:
		return domain.Invalid("/"+personHeader, "repeated", "Send the header %s once.", personHeader)
	case id.Key == nil || id.Key.ActsFor == "":
		return errMayNotActFor()
	}
	return id.actFor(values[0], "/"+personHeader)
}

func errMayNotActFor() error {
	return domain.Errorf(domain.CodeMayNotActFor,
		"Only a key that was created with acts_for may act for the users of its program. Nothing was done.")
}

// actFor makes the identity of a key that of a user of its program, with the role member at most.
func (id *Identity) actFor(user, pointer string) error {
	if err := checkUser(user, pointer); err != nil {
		return err
	}
	id.user, id.Role = user, id.Key.Role.AtMost(domain.RoleMember)
	return nil
}

// checkUser refuses what cannot be shown as a name. pointer is where the request has it.
func checkUser(user, pointer string) error {
	odd := func(c rune) bool { return !unicode.IsPrint(c) }
	if user == "" || !utf8.ValidString(user) || utf8.RuneCountInString(user) > maxUser || strings.ContainsFunc(user, odd) {
		return domain.Invalid(pointer, "invalid", "The id of a user has 1 to %d printable characters.", maxUser)
	}
	if strings.HasPrefix(user, domain.PrefixPerson+"_") {
		return domain.Invalid(pointer, "not_yours",
			"This is the id of a person of this server. Send the id that your program has for the user.")
	}
	return nil
}

// addPerson sets the person of an identity. One who is blocked is refused. A user for whom a program acts is known by the
// id of the person from then on.
func (a *Authenticator) addPerson(ctx context.Context, id *Identity) error {
	if a.config.People == nil {
		return nil
	}
	p, err := a.personOf(ctx, id)
	if err != nil {
		return err
	}
	id.Person = p.ID
	if p.Kind == people.PersonActedFor {
		id.Name, id.Title = p.ID, p.DisplayName()
	}
	a.config.Uses.note(useName{id.Workspace, p.ID, usedPerson})
	return nil
}

// personOf is the person of an identity, who is not blocked. The person of a token or a ticket is known by the id.
func (a *Authenticator) personOf(ctx context.Context, id *Identity) (*people.Person, error) {
	now := a.config.Clock()
	p, err := a.cache.person(ctx, a.config.People, &people.Person{
		WorkspaceID: id.Workspace, Kind: id.kind(), Identity: id.identity(), Name: id.title(), Role: id.Role,
		CreatedAt: now, LastSeenAt: now,
	})
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, errBadToken()
	case p.BlockedAt != nil:
		return nil, domain.Errorf(domain.CodePersonBlocked, "An admin of this workspace has blocked you. Nothing was changed.")
	}
	return p, nil
}

// identity is what the person is known by in the workspace.
func (id *Identity) identity() string {
	if id.user != "" {
		return people.ActedFor(id.Key.ID, id.user)
	}
	return id.Name
}

// title is what the credentials call the person.
func (id *Identity) title() string {
	if id.user != "" {
		return id.user
	}
	return id.Title
}

func (id *Identity) kind() people.PersonKind {
	switch {
	case id.user != "":
		return people.PersonActedFor
	case id.Name == NameLocal:
		return people.PersonLocal
	case id.Name == NameRoot:
		return people.PersonRoot
	case id.Method == MethodOIDC:
		return people.PersonOIDC
	}
	return people.PersonKey
}

// byPersonToken is the identity of a token that a program issued for one of its users, as long as the key holds that it was
// issued with.
func (a *Authenticator) byPersonToken(ctx context.Context, sum [sha256.Size]byte) (*Identity, error) {
	if a.config.People == nil {
		return nil, errBadToken()
	}
	token, err := a.cache.token(ctx, a.config.People, sum)
	if err != nil {
		return nil, err
	}
	if token == nil {
		return nil, errBadToken()
	}
	var keySum [sha256.Size]byte
	raw, decoded := hex.DecodeString(token.KeyHash)
	if decoded != nil || copy(keySum[:], raw) != len(keySum) {
		return nil, errBadToken()
	}
	if !a.config.Clock().Before(token.ExpiresAt) {
		return nil, domain.Errorf(domain.CodeTokenExpired, "This token has expired. Ask the program that issued it for a new one.")
	}
	program, err := a.byKey(ctx, keySum)
	if err != nil {
		return nil, err
	}
	if program.Key.ActsFor == "" {
		return nil, errBadToken()
	}
	return &Identity{
		Workspace: token.WorkspaceID, Role: program.Role.AtMost(domain.RoleMember), Name: token.PersonID, Method: methodToken,
		holder: people.HolderPerson, hash: sum, until: token.ExpiresAt,
	}, nil
}

func errBadToken() error {
	return domain.Errorf(domain.CodeUnauthenticated, "This token is not known, or was revoked.")
}
