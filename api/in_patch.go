package api

import "github.com/oapi-codegen/nullable"

// What a request asks for, in the domain's words. A body is read into its type, which the
// contract makes; the methods here and in the files in_*.go carry it over.

// valueOf is what a field says, or the empty value where it is left out.
func valueOf[T any](v *T) T {
	if v == nil {
		return *new(T)
	}
	return *v
}

// set applies a field of a merge patch.
func set[T any](dst *T, v *T) {
	if v != nil {
		*dst = *v
	}
}

// setWord applies a field that takes one of a few words.
func setWord[T ~string](dst *T, v *string) {
	if v != nil {
		*dst = T(*v)
	}
}

// setOrClear applies a field of a merge patch that null empties.
func setOrClear[T any](dst *T, v nullable.Nullable[T]) {
	if v.IsSpecified() {
		*dst = v[true] // the zero value for null
	}
}

// setOptional applies a field of a merge patch to a value that may be missing.
func setOptional[T any](dst **T, patch nullable.Nullable[T]) {
	switch {
	case patch.IsNull():
		*dst = nil
	case patch.IsSpecified():
		*dst = new(patch[true])
	}
}

// setOrDefault applies a field of a merge patch; null brings the default back.
func setOrDefault[T any](dst *T, patch nullable.Nullable[T], def T) {
	switch {
	case patch.IsNull():
		*dst = def
	case patch.IsSpecified():
		*dst = patch[true]
	}
}

// merge is setOrDefault for an object, whose own fields are merged.
func merge[T, P any](dst *T, patch nullable.Nullable[P], def T, apply func(*T, P)) {
	switch {
	case patch.IsNull():
		*dst = def
	case patch.IsSpecified():
		apply(dst, patch[true])
	}
}
