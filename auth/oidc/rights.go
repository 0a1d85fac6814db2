package oidc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
	"github.com/fermata-dev/fermata/internal/exactjson"
)

// maxValues bounds how many values of a claim are looked at.
const maxValues = 500

// admit returns the person of a verified token with their role and workspace. A person without a role or a
// workspace is rejected, and nothing is created for them.
func (p *Party) admit(ctx context.Context, c *claims) (*people.IssuerPerson, error) {
	role, err := p.config.Rights.roleOf(c.all)
	if err != nil {
		return nil, err
	}
	workspaces, err := p.workspacesOf(ctx, c.all)
	if err != nil {
		return nil, err
	}
	return &people.IssuerPerson{
		ID: personID(c.Issuer, c.Subject), Issuer: c.Issuer, Name: c.displayName(), Role: role, Workspaces: workspaces,
		Until: c.Expires.Time,
	}, nil
}

// personID is the same for a subject of an issuer at each sign-in, and for no other: the
// length keeps the two apart.
func personID(issuer, subject string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(issuer), issuer, subject))
	return "usr_" + hex.EncodeToString(sum[:16])
}

func (c *claims) displayName() string {
	for _, name := range []string{c.Name, c.Preferred, c.Email, c.Subject} {
		if name = strings.TrimSpace(cut(name)); name != "" {
			return name
		}
	}
	return ""
}

// roleOf returns the highest role among the values of the claim.
func (r *Rights) roleOf(all json.RawMessage) (domain.Role, error) {
	if r.RoleClaim == "" {
		return domain.RoleMember, nil
	}
	var best domain.Role
	for _, value := range valuesOf(all, r.RoleClaim) {
		role, mapped := r.Roles[value]
		if !mapped {
			role = domain.Role(value)
		}
		for _, given := range givenRoles {
			if role == given && !best.Allows(role) {
				best = role
			}
		}
	}
	if best == "" {
		return "", domain.Errorf(domain.CodeNotAdmitted,
			"The issuer knows you, and gives you no role here: its claim %q says neither viewer, member nor admin. Ask an admin of the issuer for one.",
			r.RoleClaim)
	}
	return best, nil
}

// workspacesOf are those that the claim names and that there are.
func (p *Party) workspacesOf(ctx context.Context, all json.RawMessage) ([]string, error) {
	claim := p.config.Rights.WorkspaceClaim
	names := []string{domain.DefaultWorkspace}
	if claim != "" {
		names = valuesOf(all, claim)
	}
	var there []string
	for _, name := range names {
		const most = 50
		if len(there) == most || !domain.IsWorkspaceID(name) {
			continue
		}
		found, err := p.config.Workspaces(ctx, name)
		if err != nil {
			return nil, err
		}
		if found {
			there = append(there, name)
		}
	}
	if len(there) == 0 {
		return nil, domain.Errorf(domain.CodeNotAdmitted,
			"The issuer knows you, and its claim %q names no workspace that this server has. Ask the operator to make it, or an admin of the issuer to name it.",
			claim)
	}
	return there, nil
}

// valuesOf reads a claim: a text, a list of texts, or an object whose names are the values (ZITADEL's
// roles: {"admin": {"<organisation>": "<domain>"}}). A name that no claim has leads, at its
// dots, into claims within claims (realm_access.roles).
func valuesOf(all json.RawMessage, name string) []string {
	var level map[string]json.RawMessage
	if exactjson.Unmarshal(all, &level) != nil {
		return nil
	}
	raw, there := level[name]
	if !there {
		outer, inner, dotted := strings.Cut(name, ".")
		if !dotted {
			return nil
		}
		return valuesOf(level[outer], inner)
	}
	if one, is := textOf(raw); is {
		return []string{one}
	}
	var many []json.RawMessage
	if exactjson.Unmarshal(raw, &many) != nil {
		return namesIn(raw)
	}
	var values []string
	for _, item := range many[:min(len(many), maxValues)] {
		if one, is := textOf(item); is {
			values = append(values, one)
		}
	}
	return values
}

// namesIn are the names of an object's members that are objects: {"admin": false} gives no role.
func namesIn(raw json.RawMessage) []string {
	var members map[string]json.RawMessage
	if exactjson.Unmarshal(raw, &members) != nil {
		return nil
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var object map[string]json.RawMessage
		if exactjson.Unmarshal(members[name], &object) == nil && object != nil && len(names) < maxValues {
			names = append(names, name)
		}
	}
	return names
}

// textOf is a value that is a text: null is none, although it decodes into one.
func textOf(raw json.RawMessage) (text string, is bool) {
	var value *string
	if exactjson.Unmarshal(raw, &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}
