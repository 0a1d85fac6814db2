package edgetest

import (
	"context"
	"sync"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/people"
)

// People are people in memory, named by their identities, with their tokens.
type People struct {
	mu     sync.Mutex
	tokens map[string]*people.Token // by their hashes
}

// LoseTokens revokes all tokens, of any person.
func (p *People) LoseTokens() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.tokens)
}

func (*People) FindOrCreate(_ context.Context, p *people.Person) (*people.Person, error) {
	created := *p
	created.ID = "per_" + p.Identity
	return &created, nil
}

func (*People) Person(_ context.Context, workspace, id string) (*people.Person, error) {
	return &people.Person{ID: id, WorkspaceID: workspace, Kind: people.PersonActedFor}, nil
}

func (p *People) InsertToken(_ context.Context, token *people.Token) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tokens == nil {
		p.tokens = map[string]*people.Token{}
	}
	p.tokens[token.Hash] = token
	return nil
}

func (p *People) TokenByHash(_ context.Context, hash string) (*people.Token, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if token := p.tokens[hash]; token != nil {
		return token, nil
	}
	return nil, domain.NotFound("token")
}

func (p *People) RevokeTokens(context.Context, string, string) error {
	p.LoseTokens()
	return nil
}
