package edgetest

import (
	"context"

	"github.com/fermata-dev/fermata/domain"
)

// NoSteering lets the table be made without a server behind it.
type NoSteering struct{}

func (NoSteering) InterruptSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, nil
}
func (NoSteering) StopSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, nil
}
func (NoSteering) ResumeSession(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, nil
}
func (NoSteering) ReleaseSlot(context.Context, string, string, domain.Author) (*domain.Receipt, error) {
	return nil, nil
}
func (NoSteering) LeaveQueue(context.Context, string, string) (*domain.Receipt, error) {
	return nil, nil
}
