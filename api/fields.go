package api

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/fermata-dev/fermata/domain/mergepatch"
	"github.com/fermata-dev/fermata/internal/jsonbody"
)

// PatchOf returns the change that a request asks for, as a patch of the fields F of a noun. The names in the contract
// are those of F.
func PatchOf[F any](in any) mergepatch.Patch[F] { return mergepatch.Patch[F](jsonbody.Encode(in)) }

// FieldsOf returns the fields of the noun that a request asks for: what it leaves out is empty. It panics if the
// contract names a field that F does not have: a bug that the first request finds.
func FieldsOf[F any](in any) F {
	var fields F
	if err := PatchOf[F](in).Apply(&fields); err != nil {
		panic(fmt.Sprintf("api: %T is no %T: %v", in, fields, err))
	}
	return fields
}

// withFields copies the fields F of a noun into those of a response that have the same names in JSON, and returns the
// response. A pointer is nil for an empty value. It panics if the contract has no such field: a bug that the first response finds.
func withFields[R, F any](out *R, fields *F) *R {
	from, to := reflect.ValueOf(fields).Elem(), reflect.ValueOf(out).Elem()
	for i, at := range placesOf(from.Type(), to.Type()) {
		switch field := to.Field(at); {
		case field.Type() == from.Field(i).Type():
			field.Set(from.Field(i))
		case !from.Field(i).IsZero():
			field.Set(reflect.New(field.Type().Elem()))
			field.Elem().Set(from.Field(i))
		}
	}
	return out
}

var places sync.Map // by a pair of types

// placesOf returns for each field of one type its index in the other one.
func placesOf(from, to reflect.Type) []int {
	pair := [2]reflect.Type{from, to}
	if known, ok := places.Load(pair); ok {
		return known.([]int)
	}
	byName := map[string]int{}
	for i := range to.NumField() {
		byName[jsonName(to.Field(i))] = i
	}
	found := make([]int, from.NumField())
	for i := range found {
		at, ok := byName[jsonName(from.Field(i))]
		if !ok {
			panic(fmt.Sprintf("api: %v has no field %q", to, jsonName(from.Field(i))))
		}
		found[i] = at
	}
	places.Store(pair, found)
	return found
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
