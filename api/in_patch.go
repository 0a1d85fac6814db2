package api

import "github.com/oapi-codegen/nullable"

// What a request asks for, in the domain's words. A body is read into its type, which the
// contract makes; the methods here and in the files in_*.go carry it over.

// Value is the value of an optional field, or the zero value if it is missing.
func Value[T any](v *T) T {
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

// word is a field that takes one of a few words; nil where it is left out.
func word[T ~string](v *string) *T {
	if v == nil {
		return nil
	}
	return new(T(*v))
}

// orNil is a field of a merge patch that null takes away: a pointer to nil; nil where it is left out.
func orNil[T any](v nullable.Nullable[T]) **T {
	switch {
	case v.IsNull():
		return new(*T)
	case v.IsSpecified():
		return new(new(v[true]))
	}
	return nil
}
