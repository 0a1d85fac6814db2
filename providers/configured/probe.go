package configured

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
	"github.com/fermata-dev/fermata/domain/outside"
	"github.com/fermata-dev/fermata/internal/egress"
	"github.com/fermata-dev/fermata/internal/shorten"
	"github.com/fermata-dev/fermata/providers"
)

// Kinds lists the supported kinds.
func (s *Service) Kinds() []outside.ProviderKind {
	var kinds []outside.ProviderKind
	for _, k := range s.registry.Kinds() {
		kinds = append(kinds, outside.ProviderKind{Name: k.Name, DisplayName: k.DisplayName, ConfigSchema: k.Schema})
	}
	return kinds
}

// testTimeout bounds a test call.
const testTimeout = 30 * time.Second

// TestProvider makes one short call and returns the result.
func (s *Service) TestProvider(ctx context.Context, workspace, id string) (*outside.ProviderTest, error) {
	if _, err := s.rows.Provider(ctx, workspace, id); err != nil {
		return nil, err
	}
	s.Models.forget()
	model, err := s.Models.For(ctx, workspace, id)
	if err != nil {
		return failedTest(err), nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, testTimeout, providers.Errorf(providers.ClassNetwork, "no answer within %s", testTimeout))
	defer cancel()
	query := model.Provider.Query
	if guarded, ok := model.Provider.(*Guarded); ok {
		query = guarded.Try // a test is made even if the breaker is open
	}
	started := s.clock()
	answer, err := query(ctx, &providers.Request{
		Prompt: &ai.Prompt{
			System: "This is a test of the connection. Answer with one word.", Protocol: model.Protocol,
			Turns: []*ai.Turn{{Role: ai.TurnUser, Blocks: []ai.Block{{Kind: ai.BlockText, Text: "Say OK."}}}},
		},
		MaxTokens: 64, NewID: s.newID,
	})
	if err != nil {
		failed := failedTest(err)
		failed.Model, failed.Latency = model.Name, s.clock().Sub(started)
		return failed, nil
	}
	return &outside.ProviderTest{
		OK: true, Model: cmp.Or(answer.Raw.Model, model.Name), Latency: s.clock().Sub(started),
		Said: shorten.Characters(strings.TrimSpace(answer.Raw.Text), maxSaid),
	}, nil
}

// maxSaid bounds the shown answer of a test, in characters.
const maxSaid = 200

// classWords describe each class of failures and how to fix it.
var classWords = map[providers.Class][2]string{
	providers.ClassNetwork: {"The provider could not be reached, or its answer was interrupted.",
		"Check base_url, DNS and the firewall, and for private hosts FERMATA_ALLOWED_HOSTS; otherwise wait."},
	providers.ClassRateLimited:    {"The provider's rate limit was reached.", "Wait, or ask the provider for a higher limit."},
	providers.ClassOverloaded:     {"The provider is overloaded.", "Wait, or name another provider in fallback_providers."},
	providers.ClassAuthentication: {"The key was refused.", "Enter the key again, or name the server's environment variable that contains it."},
	providers.ClassInvalidRequest: {
		"The provider rejects the request.",
		"Check model, base_url and the parameters in the provider's config.",
	},
	providers.ClassContextTooLong: {"The request is too long for the model.", "Choose a model with a larger context."},
	providers.ClassMaxTokens: {
		"max_tokens is too large for the model.",
		"Set a smaller max_tokens.",
	},
	providers.ClassQuota: {
		"The provider's quota or balance is exhausted.",
		"Add credit at the provider, or name another provider in fallback_providers.",
	},
	providers.ClassRefused:   {"The provider's policy refuses the request.", "Choose another model."},
	providers.ClassCancelled: {"The call was cancelled.", "Try again."},
}

const (
	unusable     = "The provider's configuration cannot be used."
	changeConfig = "Change its config."
)

func failedTest(err error) *outside.ProviderTest {
	if call, ok := errors.AsType[*providers.Error](err); ok {
		words := classWords[call.Class]
		return &outside.ProviderTest{Code: "provider_" + string(call.Class), Message: call.Message, Meaning: words[0], Fix: words[1]}
	}
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return &outside.ProviderTest{Code: string(known.Code), Message: known.Message, Meaning: unusable, Fix: changeConfig}
	}
	return &outside.ProviderTest{Code: "provider_unusable", Message: err.Error(), Meaning: unusable, Fix: changeConfig}
}

// ProviderModels lists the models of the configured endpoint.
func (s *Service) ProviderModels(ctx context.Context, workspace, id string) ([]string, error) {
	p, err := s.rows.Provider(ctx, workspace, id)
	if err != nil {
		return nil, err
	}
	kind, ok := s.registry.Kind(p.Kind)
	if !ok || kind.Models == nil {
		return []string{}, nil
	}
	var common providers.Config
	if err := json.Unmarshal(p.Config, &common); err != nil {
		return nil, fmt.Errorf("read the config: %w", err)
	}
	secret, err := s.Models.secret(kind, p, common.APIKeyEnv)
	if known, ok := errors.AsType[*domain.Error](err); ok {
		return nil, &domain.Error{
			Code: domain.CodeProviderFailed, Message: "The provider's models cannot be listed: " + known.Message, Err: err,
		}
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, testTimeout)
	defer cancel()
	names, err := kind.Models(ctx, p.Config, secret, egress.Of(s.client, p.WorkspaceID))
	if call, ok := errors.AsType[*providers.Error](err); ok {
		return nil, &domain.Error{
			Code:    domain.CodeProviderFailed,
			Message: "The provider did not list its models: " + call.Message,
			Err:     err,
		}
	}
	return names, err
}
