package orchestrator

import (
	"context"
	"strings"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/prompt"
	"github.com/fermata-dev/fermata/providers"
)

// keptVerbatim bounds what of the person's present request stands word for word
// behind a summary, in bytes.
const keptVerbatim = 8_000

// compact has the older messages summarised by the model. The messages stay in the
// record; the summary takes their place in the prompt.
func (d *driver) compact(ctx context.Context) (domain.Event, error) {
	s := d.session
	model, err := d.loop.cfg.Models.For(ctx, s.WorkspaceID, s.ProviderID)
	if err != nil {
		return d.noModel(err)
	}
	turns, err := d.loop.threads.turns(ctx, s, model.Protocol, d.loop.cfg.Store)
	if err != nil {
		return nil, err
	}
	call := d.newCall(model, "compaction")
	ask := prompt.SummaryRequest(turns, d.view.Workspace.Settings.Language)
	call.PromptHash = prompt.Fingerprint(ask)
	answer, err := model.Provider.Query(ctx, &providers.Request{
		Prompt: ask, MaxTokens: model.MaxTokens, Small: true,
		SessionID: s.ID, RoundID: s.State.RoundID, NewID: d.loop.cfg.NewID,
	})
	if ctx.Err() != nil {
		return nil, errLetGo
	}
	if err != nil {
		return d.callFailed(call, err), nil
	}
	d.endCall(call, model, answer)
	summary := strings.TrimSpace(answer.Raw.Text)
	if summary == "" {
		return domain.SystemErrorOccurred{
			Code: "context_too_large", Roundtrip: call,
			Problem: "The conversation outgrew its context budget and the model gave no summary of it.",
		}, nil
	}
	if request := prompt.LatestWords(turns, keptVerbatim); request != "" {
		summary += "\n\nThe person's present request, word for word:\n" + request
	}
	return domain.ContextCompacted{Summary: summary, Tokens: prompt.EstimateTokens(summary), Roundtrip: call}, nil
}
