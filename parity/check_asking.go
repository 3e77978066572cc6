package parity

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/backends"
)

// checkAsking lets the agent run a command, and rejects it.
func checkAsking(ctx context.Context, t *trial) {
	const subject, file = "a command, rejected", "parity.txt"
	declared, ok := t.declared(subject, backends.TrustAsksPermission)
	if !ok {
		return
	}
	if t.subject.Shell == nil {
		t.skip(subject, "it is not known how it runs a command")
		return
	}
	prompt, err := t.subject.Shell("echo parity > " + file)
	if err != nil {
		t.skip(subject, "it cannot be made to run a command: "+err.Error())
		return
	}
	path := filepath.Join(t.subject.Dir, file)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.skip(subject, "there is a file in the way: "+err.Error())
		return
	}
	var asked atomic.Bool
	session, err := t.open(ctx, &acp.SessionOptions{NoUpdates: true, Permission: acp.PermissionFunc(
		func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			asked.Store(true)
			return req.Reject(), nil
		})})
	if err != nil {
		t.skip(subject, "it did not open a session: "+t.failure(err))
		return
	}
	mode, particular := strings.CutPrefix(declared.Value, "in mode ")
	if !particular {
		mode = t.subject.Mode
	}
	if mode != "" {
		if err := session.SetMode(ctx, mode); err != nil {
			t.hold(subject, declared, false, "mode "+mode+": "+t.failure(err))
			return
		}
	}
	ended := t.say(ctx, session, prompt)
	_, err = os.Stat(path)
	ran := "not run"
	if err == nil {
		ran = "ran"
	}
	switch {
	case asked.Load() && err == nil:
		t.record(subject, declared.Value, "asked, ran, "+ended, Fail, "it has done what was rejected")
	case asked.Load():
		t.hold(subject, declared, true, "asked, not run, "+ended)
	default:
		t.hold(subject, declared, false, "not asked, "+ran+", "+ended)
	}
}
