package httpcommand

import (
	"errors"
	"fmt"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/fermata-dev/fermata/internal/shorten"
)

// maxReferences bounds a chain of references.
const maxReferences = 10

// resolve resolves the references to paths, parameters and bodies within the document. Nothing is
// fetched. Schemas keep their references (see inliner).
func resolve(doc *openapi3.T) error {
	for path, item := range doc.Paths.Map() {
		item, err := followed(item, refOfPath, pathsOf(doc), "#/paths/")
		if err != nil {
			return err
		}
		doc.Paths.Set(path, item)
		if err := resolveParameters(doc, item.Parameters); err != nil {
			return err
		}
		for _, operation := range item.Operations() {
			if err := resolveOperation(doc, operation); err != nil {
				return err
			}
		}
	}
	return nil
}

func refOfPath(item *openapi3.PathItem) string {
	if item == nil {
		return ""
	}
	return item.Ref
}

// pathsOf returns a lookup of paths by their names in a reference.
func pathsOf(doc *openapi3.T) func(name string) *openapi3.PathItem {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	return func(name string) *openapi3.PathItem { return doc.Paths.Value(unescape.Replace(name)) }
}

func resolveOperation(doc *openapi3.T, operation *openapi3.Operation) error {
	if err := resolveParameters(doc, operation.Parameters); err != nil {
		return err
	}
	if operation.RequestBody == nil {
		return nil
	}
	body, err := followed(operation.RequestBody, func(b *openapi3.RequestBodyRef) string { return b.Ref },
		func(name string) *openapi3.RequestBodyRef { return doc.Components.RequestBodies[name] }, "#/components/requestBodies/")
	if err == nil {
		operation.RequestBody = body
	}
	return err
}

func resolveParameters(doc *openapi3.T, list openapi3.Parameters) error {
	for i, parameter := range list {
		if parameter == nil {
			return errors.New("a parameter is null")
		}
		found, err := followed(parameter, func(p *openapi3.ParameterRef) string { return p.Ref },
			func(name string) *openapi3.ParameterRef { return doc.Components.Parameters[name] }, "#/components/parameters/")
		if err != nil {
			return err
		}
		list[i] = found
	}
	return nil
}

// followed follows the references of a part of a document to their end. A part without a reference
// is returned as it is.
func followed[T any](part *T, refOf func(*T) string, named func(string) *T, below string) (*T, error) {
	for range maxReferences {
		if part == nil {
			return nil, errors.New("a part of it is null")
		}
		ref := refOf(part)
		if ref == "" {
			return part, nil
		}
		name, ok := strings.CutPrefix(ref, below)
		if !ok {
			return nil, fmt.Errorf("it refers to %s, which is not below %s", shorten.Characters(ref, maxRefShown), below)
		}
		if part = named(name); part == nil {
			return nil, fmt.Errorf("it refers to %s, which does not exist", shorten.Characters(ref, maxRefShown))
		}
	}
	return nil, fmt.Errorf("its references form a chain of more than %d", maxReferences)
}

const maxRefShown = 200
