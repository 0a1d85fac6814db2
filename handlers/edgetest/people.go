package edgetest

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// People are people in memory, named by their identities, with their tokens.
type People struct{ Tokens map[string]*people.Token }

func (People) FindOrCreate(_ context.Context, p *people.Person) (*people.Person, error) {
	created := *p
	created.ID = "per_" + p.Identity
	return &created, nil
}

func (People) Person(_ context.Context, workspace, id string) (*people.Person, error) {
	return &people.Person{ID: id, WorkspaceID: workspace, Kind: people.PersonActedFor}, nil
}

func (p People) InsertToken(_ context.Context, token *people.Token) error {
	p.Tokens[token.Hash] = token
	return nil
}

func (p People) TokenByHash(_ context.Context, hash string) (*people.Token, error) {
	if token := p.Tokens[hash]; token != nil {
		return token, nil
	}
	return nil, domain.NotFound("token")
}

func (p People) RevokeTokens(context.Context, string, string) error {
	clear(p.Tokens)
	return nil
}
