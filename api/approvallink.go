package api

import "github.com/fermata-dev/fermata/domain"

// ApprovalLinkFrom encodes a new link for the caller who created it.
func ApprovalLinkFrom(url string, link *domain.ApprovalLink) ApprovalLink {
	return ApprovalLink{URL: url, ExpiresAt: Time(link.ExpiresAt)}
}
