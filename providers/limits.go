package providers

import (
	"regexp"
	"strconv"
	"strings"
)

// LeastAnswer is the smallest useful max_tokens.
const LeastAnswer = 256

// sizes is what an error message states about the size of a request.
type sizes struct {
	class Class // "" if it is not about the size
	most  int   // allowed max_tokens; 0: not stated
	fixed bool  // most holds for every prompt
	over  int   // excess tokens of the request; 0: not stated
}

// sums match messages that state context window, input size and max_tokens. The same wording is
// used whether input or max_tokens is too large, so the numbers decide.
var sums = []*regexp.Regexp{
	// vLLM: (8000 > 8192 - 700)
	regexp.MustCompile(`\((?P<asked>\d+) > (?P<window>\d+) - (?P<input>\d+)\)`),
	// vLLM: you requested 8000 output tokens and your prompt contains at least 700 input tokens
	regexp.MustCompile(`(?s)context (?:length|window)\D{1,20}(?P<window>\d+).*?requested (?P<asked>\d+) output tokens ` +
		`and your prompt contains (?:at least )?(?P<input>\d+)`),
	// OpenAI, DeepSeek: (1000 in the messages, 200 in the functions, and 8000 in the completion)
	regexp.MustCompile(`(?s)context (?:length|window)\D{1,20}(?P<window>\d+).*?\((?P<input>\d+) in (?:the|your) (?:messages|prompt)[,;]? ` +
		`(?:(?P<more>\d+) in the functions,? )?(?:and )?(?P<asked>\d+) (?:in|for) the completion\)`),
	// OpenRouter: (8963 of text input, 13176 of tool input, 262144 in the output)
	regexp.MustCompile(`(?s)context (?:length|window)\D{1,20}(?P<window>\d+).*?\((?P<input>\d+) of text input, ` +
		`(?:(?P<more>\d+) of tool input, )?(?P<asked>\d+) in the output\)`),
	// SGLang: 700 tokens from the input messages and 8000 tokens for the completion
	regexp.MustCompile(`(?s)context (?:length|window)\D{1,20}(?P<window>\d+).*?(?P<input>\d+) tokens from the input messages ` +
		`and (?P<asked>\d+) tokens for the completion`),
	// Anthropic: 188240 + 21333 > 200000
	regexp.MustCompile(`(?P<input>\d+) \+ (?P<asked>\d+) > (?P<window>\d+)`),
	// TGI, Together: must be <= 8193. Given: 700 `inputs` tokens and 8000 `max_new_tokens`
	regexp.MustCompile("(?s)must be <= (?P<window>\\d+)\\. given: (?P<input>\\d+) `?inputs`? tokens and (?P<asked>\\d+)"),
	// Mistral: Prompt contains 700 tokens and 8000 max_tokens, too large for model with 8192 maximum context length
	regexp.MustCompile(`(?s)prompt contains (?P<input>\d+) tokens and (?P<asked>\d+).*?too large for model with (?P<window>\d+)`),
	// Cloudflare: The estimated number of input and maximum output tokens (8700) exceeded this model context window limit (8192)
	regexp.MustCompile(`(?s)input and maximum output tokens \((?P<total>\d+)\) exceeded\D*\((?P<window>\d+)\)`),
}

// rateOfOne matches a token rate limit that a single request exceeds.
var rateOfOne = regexp.MustCompile(`(?s)\blimit:? (?P<limit>\d+)\b.*?\brequested:? (?P<requested>\d+)\b`)

// Phrases about max_tokens: its names, that it is too high, and similar phrases with another
// meaning.
var (
	answerLimit = regexp.MustCompile(`max_?(?:imum)?[ _]?(?:completion|output|new|gen|generated)?[ _]?tokens|output[ _]tokens?[ _]limit|` +
		`(?:output|completion) tokens|maximum tokens you requested|max_gen_len|num_predict`)
	tooHigh = regexp.MustCompile(`too (?:large|high|big|many)|exceed|above|maximum|at most|less than|lower than|smaller than|range|limit|` +
		`<=|<|>|up to|非法|illegal|out of|not less or equal`)
	otherwise = regexp.MustCompile(`unsupported|not supported|unknown|unrecognized|unexpected|extra inputs|not permitted|deprecated|` +
		`greater than|at least|required|valid integer|budget_tokens|input (?:token|length)|prompt (?:is|length|token|contains|exceeds)|` +
		`your (?:messages|input|prompt) (?:exceed|result|is|are|has|have|contain)|` +
		`context[ _-]?length[ _-]exceeded|size limit exceeded`)
)

// answerLimits extract the limit from such a message. An exclusive limit is one more than allowed.
var answerLimits = []struct {
	pattern   *regexp.Regexp
	exclusive bool
}{
	{regexp.MustCompile(`to (\d+) \(exclusive\)`), true},
	{regexp.MustCompile("(?:lower|less|smaller) than [`'\"]?(\\d+)"), true},
	{regexp.MustCompile("less (?:than )?or equal to [`'\"]?(\\d+)"), false},
	{regexp.MustCompile(`[\[(]\s*\d+\s*[,-]\s*(\d+)\s*[\])]`), false},
	{regexp.MustCompile(`> (\d+),? which is the maximum`), false},
	{regexp.MustCompile(`(?:at most|up to|<=|exceed|between \d+ and|from \d+ to) (\d+)`), false},
	{regexp.MustCompile(`(?:limit|maximum|max|maximum allowed|maximum value|max value)(?: is| of|:| =|=)? (\d+)`), false},
	{regexp.MustCompile(`> (\d+)`), false},
}

// tooLong matches the vendors' messages for input that is too long; there is no common code. Each
// mentions the context, the prompt, the input or its tokens: "too large" alone is also used for
// images, tools and bodies.
var tooLong = regexp.MustCompile(strings.Join([]string{
	`(?:exceed|too (?:long|large)|longer|maximum|max\b|limit|overflow|larger|greater|increas|full|more than)[^.]{0,80}context[ _-]?(?:length|window|size|limit)`,
	`context[ _-]?(?:length|window|size|limit)[^.]{0,80}(?:exceed|too (?:long|large|small)|longer|maximum|\bmax\b|limit|overflow|larger|greater|only|is \d)`,
	`exceed_context|context[ _]?(?:overflow|exceeded|full)|context the overflows|reached context length`,
	`(?:prompt|input|conversation|messages|request|chat history|history)(?: text| tokens?)?(?: is| are| was)? too long`,
	`(?:prompt|input|conversation|messages)(?: text| tokens?)?(?: is| are| was)? too large`,
	`reduce the (?:length|size) of (?:the|your|either|messages|prompt|input)[^.]{0,20}(?:messages|prompt|input|one|conversation)`,
	`maximum (?:prompt|model|input) length|max(?:imum)? (?:prompt|input) tokens|longer than the (?:maximum|model)`,
	`prompt contains \d+ tokens`,
	`(?:prompt|input|messages?)[^.]{0,30} exceeds?(?: the)? (?:max|limit|model|context|allowed)`,
	`exceeds?(?: the)? maximum number of(?: input)? tokens|input token count|input tokens exceed|token count[^.]{0,30}exceed`,
	`(?:input|prompt|model|context|total|request)[ _]tokens?[ _](?:count[ _])?limit|tokens_limit_reached|max size: \d+ tokens`,
	`too many (?:input |prompt )?tokens|tokens in (?:the )?request more than|number of (?:input )?tokens[^.]{0,40}(?:exceed|greater|more than)`,
	`range of input length|must have less than \d+ tokens|input length (?:exceed|is)|输入长度|超过最大长度|上下文长度`,
}, "|"))

// answersOwn matches rejections of max_tokens that also mention the context.
var answersOwn = regexp.MustCompile("maximum value for `?max_(?:completion_|output_)?tokens`?")

// noTokens matches messages about sizes in bytes, pixels or characters.
var noTokens = regexp.MustCompile(`\b(?:images?|pictures?|pixels?|pdf|payload|entity|bytes|[mk]i?b|tools?[\[.]\d+|functions?[\[.]\d+|description)\b`)

var thousands = regexp.MustCompile(`(\d),(\d{3})\b`)

// sizesOf parses an error message about the size of a request.
func sizesOf(text string) sizes {
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	for _, pattern := range sums {
		if n := numbers(pattern, text); n != nil {
			return ofSum(n)
		}
	}
	if ofAnswer(text) {
		s := sizes{class: ClassMaxTokens, fixed: true}
		for _, limit := range answerLimits {
			if found := limit.pattern.FindStringSubmatch(text); found != nil {
				s.most, _ = strconv.Atoi(found[1]) // digits only; on overflow the largest number
				if limit.exclusive {
					s.most--
				}
				break
			}
		}
		return s
	}
	if tooLong.MatchString(text) && (strings.Contains(text, "token") || strings.Contains(text, "context") || !noTokens.MatchString(text)) {
		return sizes{class: ClassContextTooLong}
	}
	return sizes{}
}

// ofAnswer reports whether max_tokens is too high.
func ofAnswer(text string) bool {
	name := answerLimit.FindString(text)
	return name != "" && tooHigh.MatchString(strings.ReplaceAll(text, name, "")) &&
		(answersOwn.MatchString(text) || !otherwise.MatchString(text))
}

// ofSum decides by the numbers: if an answer would fit, max_tokens was too high.
func ofSum(n map[string]int) sizes {
	if n["total"] > 0 {
		return sizes{class: ClassContextTooLong, over: max(n["total"]-n["window"], 0)}
	}
	input := n["input"] + n["more"]
	left := n["window"] - input - max(16, input/50) // vendors state the input size as "at least"
	if left < LeastAnswer {
		return sizes{class: ClassContextTooLong}
	}
	return sizes{class: ClassMaxTokens, most: left}
}

// ofRate matches a single request that exceeds a per-minute limit: waiting does not help.
func ofRate(text string) sizes {
	for thousands.MatchString(text) {
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	if n := numbers(rateOfOne, text); n != nil && n["requested"] > n["limit"] {
		return sizes{class: ClassContextTooLong, over: n["requested"] - n["limit"]}
	}
	return sizes{}
}

// numbers returns a pattern's named groups, or nil without a match.
func numbers(pattern *regexp.Regexp, text string) map[string]int {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n := map[string]int{}
	for i, name := range pattern.SubexpNames() {
		if value, err := strconv.Atoi(found[i]); err == nil && name != "" {
			n[name] = value
		}
	}
	return n
}

// Phrases for exhausted quota. Gemini uses the first of them for every limit, so its own phrases
// for limits per minute or day are checked first.
var (
	usedUp = regexp.MustCompile(`insufficient[ _]?(?:quota|balance|credits?|funds)|exceeded[ _](?:your[ _])?current[ _]quota|` +
		`billing[ _](?:hard[ _]limit|not[ _]active|details)|credit balance is too low|(?:out of|no more|not enough|no available|all available) credits?|` +
		`payment required|spend(?:ing)? limit|arrear|余额不足|欠费|purchase (?:more )?credits|top up your|recharge your|account (?:is|has been) suspended|` +
		`quota (?:is |has been )?(?:used up|exhausted)|usage quota exceeded|plan limit reached`)
	ofTime = regexp.MustCompile(`resource_exhausted|quota exceeded for metric|per[ _]?(?:minute|day|hour|second)|(?:retry|try again) (?:in|after) [\d~]`)
	never  = regexp.MustCompile(`\blimit: 0\b`)
)

// paidOut reports whether waiting does not help: the quota or balance is exhausted.
func paidOut(text string) bool {
	passes := ofTime.MatchString(text) && !never.MatchString(text) && !strings.Contains(text, "insufficient_quota")
	return usedUp.MatchString(text) && !passes
}
