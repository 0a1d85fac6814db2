package api

import "github.com/fermata-dev/fermata/domain"

// ApprovalLinkFrom is a link as it is given to whoever had it made.
func ApprovalLinkFrom(url string, link *domain.ApprovalLink) ApprovalLink {
	return ApprovalLink{URL: url, ExpiresAt: Time(link.ExpiresAt)}
}
