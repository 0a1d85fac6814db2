package providers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fermata-dev/fermata/domain"
	"github.com/fermata-dev/fermata/domain/ai"
)

// The words of real hosts about the size of a request: what has to be read is too long, or
// what may be written is, or it is about something else.
func TestSizesOfEveryVendor(t *testing.T) {
	table := []struct {
		vendor string
		status int
		says   string
		class  Class
		most   int
	}{
		// What has to be read is too long: a summary helps.
		{"OpenAI", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9100 tokens. Please reduce the length of the messages.","code":"context_length_exceeded"}}`, ClassContextTooLong, 0},
		{"OpenAI, newer", 400, "Your input exceeds the context window of this model. Please adjust your input and try again.", ClassContextTooLong, 0},
		{"OpenAI, configured", 400, "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.", ClassContextTooLong, 0},
		{"OpenAI, mostly messages", 400, "This model's maximum context length is 8192 tokens. However, you requested 9700 tokens (8600 in the messages, 1100 in the completion). Please reduce the length of the messages or completion.", ClassContextTooLong, 0},
		{"DeepSeek", 400, "This model's maximum context length is 65536 tokens. However, you requested 74000 tokens (66000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.", ClassContextTooLong, 0},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 212345 tokens > 200000 maximum"}}`, ClassContextTooLong, 0},
		{"Anthropic, both", 400, "input length and `max_tokens` exceed context limit: 199990 + 4096 > 200000, decrease input length or `max_tokens` and try again", ClassContextTooLong, 0},
		{"Gemini", 400, "The input token count (1091639) exceeds the maximum number of tokens allowed (1048576).", ClassContextTooLong, 0},
		{"Vertex", 400, "Unable to submit request because the input token count is 33000 but model only supports up to 32768. Reduce the input token count and try again.", ClassContextTooLong, 0},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}`, ClassContextTooLong, 0},
		{"llama.cpp, with numbers", 400, "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", ClassContextTooLong, 0},
		{"vLLM", 400, "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens in the messages, Please reduce the length of the messages.", ClassContextTooLong, 0},
		{"vLLM, the decoder", 400, "The decoder prompt (length 9100) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.", ClassContextTooLong, 0},
		{"vLLM, no room left", 400, "'max_tokens' or 'max_completion_tokens' is too large: 4096. This model's maximum context length is 8192 tokens and your request has 8100 input tokens (4096 > 8192 - 8100).", ClassContextTooLong, 0},
		{"SGLang", 400, "The input (9000 tokens) is longer than the model's context length (8192 tokens).", ClassContextTooLong, 0},
		{"TGI", 422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000", ClassContextTooLong, 0},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length"}`, ClassContextTooLong, 0},
		{"Mistral, with an answer", 400, "Prompt contains 32700 tokens and 4096 max_tokens, too large for model with 32768 maximum context length", ClassContextTooLong, 0},
		{"Groq", 400, "Please reduce the length of the messages or completion.", ClassContextTooLong, 0},
		{"OpenRouter", 400, "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (145000 of text input, 5000 in the output). Please reduce the length of either one, or use the \"middle-out\" transform to compress your prompt automatically.", ClassContextTooLong, 0},
		{"Bedrock", 400, "Input is too long for requested model.", ClassContextTooLong, 0},
		{"Bedrock, tokens", 400, "ValidationException: The model returned the following errors: Too many input tokens. Max input tokens: 128000, request input token count: 131000", ClassContextTooLong, 0},
		{"Ollama", 400, "the input length exceeds the context length", ClassContextTooLong, 0},
		{"Ollama, newer", 400, "prompt too long; exceeded max context length by 120 tokens", ClassContextTooLong, 0},
		{"LM Studio", 400, "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input", ClassContextTooLong, 0},
		{"LM Studio, older", 400, "Trying to keep the first 6000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", ClassContextTooLong, 0},
		{"LM Studio, in the middle", 400, "Reached context length of 4096 tokens with this model, but this model does not currently support mid-generation context overflow.", ClassContextTooLong, 0},
		{"xAI", 400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", ClassContextTooLong, 0},
		{"Cohere", 400, "too many tokens: size limit exceeded by 9000 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.", ClassContextTooLong, 0},
		{"Qwen", 400, "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", ClassContextTooLong, 0},
		{"Moonshot", 400, "Invalid request: Your request exceeded model token limit: 131072 (requested: 140000)", ClassContextTooLong, 0},
		{"MiniMax", 400, "invalid params, context window exceeds limit (2013)", ClassContextTooLong, 0},
		{"Zhipu", 400, "Prompt exceeds max length", ClassContextTooLong, 0},
		{"Zhipu, in Chinese", 400, "输入长度超过最大长度限制", ClassContextTooLong, 0},
		{"Fireworks", 400, "The prompt is too long: 40000, model maximum context length: 32767", ClassContextTooLong, 0},
		{"Together", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8100 `inputs` tokens and 512 `max_new_tokens`", ClassContextTooLong, 0},
		{"GitHub Models", 413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`, ClassContextTooLong, 0},
		{"Cloudflare", 413, "The estimated number of input and maximum output tokens (9700) exceeded this model context window limit (8192).", ClassContextTooLong, 0},
		{"Baidu", 400, "Prompt tokens too long", ClassContextTooLong, 0},

		// What may be written is too long: less is asked for, and the history stays.
		{"vLLM", 400, "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 tokens and your request has 700 input tokens (8000 > 8192 - 700).", ClassMaxTokens, 7476},
		{"vLLM, newer", 400, "This model's maximum context length is 8192 tokens. However, you requested 8000 output tokens and your prompt contains at least 700 input tokens, for a total of at least 8700 tokens.", ClassMaxTokens, 7476},
		{"OpenAI, the sum", 400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (1000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.","code":"context_length_exceeded"}}`, ClassMaxTokens, 7172},
		{"OpenAI, with functions", 400, "This model's maximum context length is 8,192 tokens. However, you requested 9,200 tokens (1,000 in the messages, 200 in the functions, and 8,000 in the completion). Please reduce the length of the messages, functions, or completion.", ClassMaxTokens, 6968},
		{"OpenAI, legacy", 400, "This model's maximum context length is 4097 tokens, however you requested 5162 tokens (1162 in your prompt; 4000 for the completion). Please reduce your prompt; or completion length.", ClassMaxTokens, 2912},
		{"OpenAI, the model's own", 400, "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.", ClassMaxTokens, 16384},
		{"OpenRouter", 400, "This endpoint's maximum context length is 262144 tokens. However, you requested about 284283 tokens (8963 of text input, 13176 of tool input, 262144 in the output). Please reduce the length of either one.", ClassMaxTokens, 239563},
		{"SGLang", 400, "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 8700 tokens: 700 tokens from the input messages and 8000 tokens for the completion.", ClassMaxTokens, 7476},
		{"Anthropic, both", 400, "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again", ClassMaxTokens, 7996},
		{"Anthropic, the model's own", 400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-20250514", ClassMaxTokens, 64000},
		{"Groq", 400, "`max_completion_tokens` must be less than or equal to `8192`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model", ClassMaxTokens, 8192},
		{"a router", 400, "max_tokens 100000 is above the output token limit of 65536 for this model", ClassMaxTokens, 65536},
		{"Gemini", 400, "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.", ClassMaxTokens, 65536},
		{"DeepSeek", 400, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", ClassMaxTokens, 8192},
		{"Qwen", 400, "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 16384]", ClassMaxTokens, 16384},
		{"Bedrock", 400, "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096.", ClassMaxTokens, 4095},
		{"Bedrock, Nova", 400, "Malformed input request: #/inferenceConfig/max_new_tokens: 8000 is not less or equal to 5120, please reformat your input and try again.", ClassMaxTokens, 5120},
		{"Cohere", 400, "too many tokens: max tokens must be less than or equal to 4096, the maximum output for this model - received 8000.", ClassMaxTokens, 4096},
		{"Together", 422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 700 `inputs` tokens and 8000 `max_new_tokens`", ClassMaxTokens, 7477},
		{"Mistral", 400, "Prompt contains 700 tokens and 32768 max_tokens, too large for model with 32768 maximum context length", ClassMaxTokens, 32052},
		{"xAI", 400, "max_tokens must not exceed 131072", ClassMaxTokens, 131072},
		{"Zhipu, in Chinese", 400, "max_tokens 参数非法。请检查文档。", ClassMaxTokens, 0},

		// Something else is too large, or it is about something else.
		{"an image", 400, "image exceeds 5 MB maximum; reduce the length of its longest side", ClassInvalidRequest, 0},
		{"an image, Anthropic", 400, "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 6000000 bytes > 5242880 bytes", ClassInvalidRequest, 0},
		{"images, Anthropic", 400, "At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels", ClassInvalidRequest, 0},
		{"an input image", 400, "Input image is too large: 5000x5000 pixels, the maximum is 2048", ClassInvalidRequest, 0},
		{"a tool's text", 400, "tools[3].description is too large for model m", ClassInvalidRequest, 0},
		{"a tool's text, OpenAI", 400, "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1100 instead.", ClassInvalidRequest, 0},
		{"too many tools", 400, "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.", ClassInvalidRequest, 0},
		{"a body, Gemini", 400, "Request payload size exceeds the limit: 20971520 bytes.", ClassInvalidRequest, 0},
		{"a body, Anthropic", 413, `{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, ClassInvalidRequest, 0},
		{"a body, nginx", 413, "<html><head><title>413 Request Entity Too Large</title></head><body><h1>413 Request Entity Too Large</h1></body></html>", ClassInvalidRequest, 0},
		{"a PDF", 400, "A maximum of 100 PDF pages may be provided.", ClassInvalidRequest, 0},
		{"a name that is not known", 400, "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", ClassInvalidRequest, 0},
		{"a budget of thoughts", 400, "`max_tokens` must be greater than `thinking.budget_tokens`", ClassInvalidRequest, 0},
		{"a type", 400, "max_tokens: Input should be a valid integer", ClassInvalidRequest, 0},
		{"a member", 400, "Extra inputs are not permitted: options.context_length", ClassInvalidRequest, 0},
		{"stop sequences", 400, "stop: at most 4 sequences are allowed", ClassInvalidRequest, 0},

		// One request above what a minute allows; and one that can wait.
		{"OpenAI, one request", 429, "Request too large for gpt-x in organization org on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced in order to run successfully.", ClassContextTooLong, 0},
		{"Groq, one request", 413, "Request too large for model `llama-3.1-8b-instant` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 6,000, Requested 9,104, please reduce your message size and try again.", ClassContextTooLong, 0},
		{"OpenAI, a full minute", 429, "Rate limit reached for gpt-x in organization org on tokens per min (TPM): Limit 30000, Used 25000, Requested 8000. Please try again in 6s.", ClassRateLimited, 0},
		{"OpenAI, a full day", 429, "Rate limit reached for gpt-x on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.", ClassRateLimited, 0},
		{"Anthropic, a minute", 429, "This request would exceed your organization's rate limit of 30,000 input tokens per minute.", ClassRateLimited, 0},

		// Nothing is left to pay with; and what only sounds like it.
		{"OpenAI", 429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, ClassQuota, 0},
		{"Moonshot", 429, `{"error":{"message":"Your account is suspended, please check your plan and billing details","type":"exceeded_current_quota_error"}}`, ClassQuota, 0},
		{"Zhipu", 429, `{"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}`, ClassQuota, 0},
		{"Anthropic", 400, "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.", ClassQuota, 0},
		{"DeepSeek", 402, "Insufficient Balance", ClassQuota, 0},
		{"OpenRouter", 402, "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 1200.", ClassQuota, 0},
		{"xAI", 403, "Your team has used all available credits or reached its monthly spending limit.", ClassQuota, 0},
		{"MiniMax", 200, "insufficient balance", ClassQuota, 0},
		{"Gemini, nothing at all", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 0","status":"RESOURCE_EXHAUSTED"}}`, ClassQuota, 0},
		{"Gemini, a minute", 429, `{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 15. Please retry in 34.07s.","status":"RESOURCE_EXHAUSTED"}}`, ClassRateLimited, 0},
		{"a plain limit", 429, "Too many requests", ClassRateLimited, 0},
		{"a key", 403, "This key may not use the model.", ClassAuthentication, 0},
	}
	for _, row := range table {
		e := ParseFailure([]byte(row.says)).Error(row.status, "")
		if e.Class != row.class || e.MaxTokens != row.most {
			t.Errorf("%s: %s is %s with at most %d, want %s with %d", row.vendor, row.says, e.Class, e.MaxTokens, row.class, row.most)
		}
	}
}

// refusing refuses answers that may be longer than most, in these words.
type refusing struct {
	Provider
	most  int
	says  string
	code  int
	asked []int
}

func (r *refusing) Abilities() Abilities { return Abilities{MaxTokens: 4096} }

func (r *refusing) Query(_ context.Context, request *Request) (*Answer, error) {
	r.asked = append(r.asked, request.MaxTokens)
	if request.MaxTokens > r.most || request.MaxTokens == 0 {
		return nil, ParseFailure([]byte(r.says)).Error(r.code, "")
	}
	return &Answer{Raw: &domain.RawAnswer{Text: "fine"}}, nil
}

// A length that was refused is asked for once more, shorter; a limit of the model is known
// from then on, one of this prompt is not.
func TestARefusedLengthIsAskedForShorter(t *testing.T) {
	const sum = "maximum context length is 8192 tokens and your request has 7000 input tokens (4096 > 8192 - 7000)"
	for name, row := range map[string]struct {
		most  int
		says  string
		code  int
		first int // what the request asks for
		asked string
		class Class
	}{
		"the model's own limit":      {1024, "max_tokens: 4096 > 1024, which is the maximum allowed number of output tokens", 400, 4096, "[4096 1024 1024]", ""},
		"the default":                {1024, "max_tokens: 4096 > 1024, which is the maximum allowed number of output tokens", 400, 0, "[0 1024 1024]", ""},
		"the room beside a prompt":   {1100, sum, 400, 4096, "[4096 1052 4096 1052]", ""},
		"no number":                  {2048, "max_tokens is out of range", 400, 4096, "[4096 2048 2048]", ""},
		"a minute's tokens":          {3000, "tokens per minute: Limit 6000, Requested 6800", 429, 4096, "[4096 3264 4096 3264]", ClassContextTooLong},
		"much above a minute":        {0, "tokens per minute: Limit 30000, Requested 41000", 429, 4096, "[4096 4096]", ClassContextTooLong},
		"it refuses whatever":        {0, "max_tokens 4096 is above the output token limit of 2000", 400, 4096, "[4096 2000 4096 2000]", ClassMaxTokens},
		"less than an answer needs":  {0, "max_tokens: 4096 > 100, which is the maximum allowed number of output tokens", 400, 4096, "[4096 4096]", ClassMaxTokens},
		"an overflow":                {0, "prompt is too long: 9 tokens > 8 maximum", 400, 4096, "[4096 4096]", ClassContextTooLong},
		"more than was asked for":    {0, "max_tokens must not exceed 8192", 400, 4096, "[4096 4096]", ClassMaxTokens},
		"something else":             {0, "no such model", 404, 4096, "[4096 4096]", ClassInvalidRequest},
		"a minute's tokens, shorter": {3300, "tokens per minute: Limit 6000, Requested 6700", 429, 4096, "[4096 3366 4096 3366]", ClassContextTooLong},
	} {
		t.Run(name, func(t *testing.T) {
			vendor := &refusing{most: row.most, says: row.says, code: row.code}
			p := Fitted(vendor)
			var err error
			for range 2 {
				_, err = p.Query(t.Context(), &Request{Prompt: &ai.Prompt{}, MaxTokens: row.first})
			}
			class := Class("")
			if e, ok := errors.AsType[*Error](err); ok {
				class = e.Class
			}
			if got := fmt.Sprint(vendor.asked); got != row.asked || class != row.class {
				t.Errorf("asked %s, then %q; want %s, then %q", got, class, row.asked, row.class)
			}
			if class == ClassMaxTokens && !strings.Contains(err.Error(), "max_tokens") {
				t.Errorf("the person is not shown the cause: %v", err)
			}
		})
	}
}
