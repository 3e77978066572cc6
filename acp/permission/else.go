package permission

import (
	"context"

	"github.com/acpharness/acpharness/acp"
)

// Else asks next about what a policy does not allow, such as a person.
func (p Policy) Else(next acp.PermissionHandler) acp.PermissionHandler {
	return acp.PermissionFunc(func(ctx context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
		if outcome, err := p.RequestPermission(ctx, req); err != nil || allows(req, outcome) {
			return outcome, err
		}
		return next.RequestPermission(ctx, req)
	})
}
