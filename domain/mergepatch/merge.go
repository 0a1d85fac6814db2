package mergepatch

// Merge applies a JSON merge patch (RFC 7396): null removes a field, an object is merged, everything
// else replaces, lists too. It is used by every PATCH of an object whose fields are not defined by us: a
// tool's config, an entry's data, a provider's config. The old value may be modified.
func Merge(old, patch any) any {
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
		result[name] = Merge(result[name], value)
	}
	return result
}
