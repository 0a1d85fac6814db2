package openai

import "testing"

// Which models accept images is derived from their names, and by the config where it says so.
func TestModelsThatSee(t *testing.T) {
	for model, want := range map[string]bool{
		"gpt-4o": true, "GPT-5-mini": true, "o3": true, "o4-mini": true, "openai/o1": true, "qwen2.5-vl-72b": true, "llama-3.2-90b-vision": true,
		"pixtral-large": true, "gpt-3.5-turbo": false, "gpt-4": false, "o3-mini": false, "o1-preview": false, "deepseek-chat": false,
		"llama-3.3-70b": false, "qwen3:8b": false, "text-embedding-3": false, "foo1": false,
	} {
		if got := made(t, `{"base_url":"http://h/v1","model":"`+model+`"}`).Abilities().Sees; got != want {
			t.Errorf("%s sees: %v", model, got)
		}
		if got := made(t, `{"base_url":"http://h/v1","images":`+map[bool]string{true: "false", false: "true"}[want]+`,"model":"`+model+`"}`).Abilities().Sees; got == want {
			t.Errorf("%s: the config is ignored", model)
		}
	}
}
