package domain

// MergePatch applies a merge patch (RFC 7396) to what was read of JSON: null removes a
// field, an object is merged, everything else replaces, lists too. It is what every PATCH
// of an object means whose fields are not ours: a tool's config, an entry's data, a
// provider's config. The old value may be changed.
func MergePatch(old, patch any) any {
	fields, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	result, ok := old.(map[string]any)
	if !ok {
		result = map[string]any{}
	}
	for name, value := range fields {
		if value == nil {
			delete(result, name)
			continue
		}
		result[name] = MergePatch(result[name], value)
	}
	return result
}
