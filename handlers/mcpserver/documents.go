package mcpserver

import (
	"context"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fermata-dev/fermata/domain"
)

// documentURI begins the address of a published document; its id follows.
const (
	// documentURI is the prefix of the URI of a published document, which is followed by its id.
	documentURI  = "fermata://documents/"
	documentType = "text/markdown"
	pageSize     = 100
)

var documentTemplate = &mcp.ResourceTemplate{
	URITemplate: documentURI + "{id}", Name: "document", Title: "Published document", MIMEType: documentType,
	Description: "A text that the workspace has published: what its sessions read.",
}

// listDocuments lists the published documents; drafts are not readable.
func (c *call) listDocuments(ctx context.Context, params *mcp.ListResourcesParams) (*mcp.ListResourcesResult, error) {
	cursor := ""
	if params != nil {
		cursor = params.Cursor
	}
	out := &mcp.ListResourcesResult{Resources: []*mcp.Resource{}}
	out.CacheScope = "private"
	documents, next, err := c.Documents.Documents(ctx, c.identity.Workspace, cursor, pageSize)
	if err != nil {
		return nil, err
	}
	out.NextCursor = next
	for i := range documents {
		d := &documents[i]
		if d.PublishedAt == nil {
			continue
		}
		out.Resources = append(out.Resources, &mcp.Resource{
			URI: documentURI + url.PathEscape(d.ID), Name: d.Key, Title: d.Title, MIMEType: documentType, Size: int64(len(d.Published)),
		})
	}
	return out, nil
}

func readDocument(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	c := callOf(ctx)
	id, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, documentURI))
	if err != nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	d, err := c.Documents.Document(ctx, c.identity.Workspace, id)
	if domain.ErrorCode(err) == domain.CodeNotFound || err == nil && d.PublishedAt == nil {
		return nil, mcp.ResourceNotFoundError(req.Params.URI)
	}
	if err != nil {
		return nil, c.toRPCError(err)
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: documentType, Text: d.Published}}}, nil
}
