package live

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/provider"
)

// killPoint is a moment at which an agent is got rid of.
type killPoint struct {
	name string
	// reach brings the agent there. It returns nil if there is no agent any more.
	reach func(ctx context.Context, l *lane) provider.Provider
	early bool // there is no agent yet that could be ended in more than one way
}

// killPoints are in the order of an agent's life.
var killPoints = []killPoint{
	{"at spawn", func(ctx context.Context, l *lane) provider.Provider { return l.connectWithin(ctx, time.Millisecond) }, true},
	{"before initialize is answered", func(ctx context.Context, l *lane) provider.Provider {
		return l.connectWithin(ctx, 400*time.Millisecond)
	}, true},
	{"after initialize", func(ctx context.Context, l *lane) provider.Provider { return l.mustConnect(ctx, nil) }, false},
	{"during session new", func(ctx context.Context, l *lane) provider.Provider {
		p := l.mustConnect(ctx, nil)
		ctx, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		defer stop()
		_, _ = p.Conn().NewSession(ctx, l.bench.Workspace(), nil)
		return p
	}, false},
	{"with a session open", func(ctx context.Context, l *lane) provider.Provider {
		p := l.mustConnect(ctx, nil)
		l.mustOpen(ctx, p)
		return p
	}, false},
	{"in mid-turn", func(ctx context.Context, l *lane) provider.Provider {
		p := l.mustConnect(ctx, nil)
		_, err := l.mustOpen(ctx, p).Prompt(ctx, acp.Text("@@SLOW 240 250@@"), nil)
		require.NoError(l.t, err)
		l.awaitModel(ctx)
		return p
	}, false},
	{"while a command runs", func(ctx context.Context, l *lane) provider.Provider {
		p := l.mustConnect(ctx, acp.PermissionFunc(func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			outcome, _ := req.Allow()
			return outcome, nil
		}))
		_, err := l.mustOpen(ctx, p).Prompt(ctx, l.shell("touch made.txt; sleep 300"), nil)
		require.NoError(l.t, err)
		l.awaitFile(ctx, "made.txt")
		return p
	}, false},
	{"while asking", func(ctx context.Context, l *lane) provider.Provider {
		if l.recipe.NeverAsks {
			l.t.Skip("it never asks")
		}
		asked := make(chan struct{}, 1)
		p := l.mustConnect(ctx, acp.PermissionFunc(func(ctx context.Context, _ *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			select {
			case asked <- struct{}{}:
			case <-ctx.Done():
			}
			<-ctx.Done()
			return acp.PermissionOutcome{}, ctx.Err()
		}))
		_, err := l.mustOpen(ctx, p).Prompt(ctx, l.shell("touch made.txt"), nil)
		require.NoError(l.t, err)
		select {
		case <-asked:
		case <-ctx.Done():
			require.Fail(l.t, "it never asked")
		}
		return p
	}, false},
}

// ways of ending an agent.
var ways = []struct {
	name string
	end  func(t *testing.T, p provider.Provider)
}{
	{"closed in a hurry", func(t *testing.T, p provider.Provider) {
		t.Helper()
		now, cancel := context.WithCancel(t.Context())
		cancel()
		require.NoError(t, p.Close(now))
	}},
	{"closed", func(t *testing.T, p provider.Provider) {
		t.Helper()
		require.NoError(t, p.Close(t.Context()))
	}},
	{"launcher killed from outside", func(t *testing.T, p provider.Provider) {
		t.Helper()
		require.NoError(t, syscall.Kill(p.Conn().PID(), syscall.SIGKILL))
		<-p.Conn().Done()
		require.NoError(t, p.Close(t.Context()))
	}},
}

// TestNothingIsLeft ends agents at every point of their life, in every way, and looks for whatever they have started. With
// -short it is the last points, where most is running, and the first way.
func TestNothingIsLeft(t *testing.T) {
	points, ways := killPoints, ways
	if testing.Short() {
		points, ways = points[4:], ways[:1]
	}
	for _, pin := range agents(t) {
		for _, point := range points {
			for i, way := range ways {
				if point.early && i > 0 {
					continue
				}
				t.Run(pin.id+"/"+point.name+"/"+way.name, func(t *testing.T) {
					t.Parallel()
					l := newLane(t, pin)
					ctx, stop := context.WithTimeout(t.Context(), patience)
					defer stop()
					if p := point.reach(ctx, l); p != nil {
						way.end(t, p)
						assert.Empty(t, p.Conn().Exit().Leftover)
					}
					assert.Empty(t, l.left())
				})
			}
		}
	}
}

func (l *lane) connectWithin(ctx context.Context, d time.Duration) provider.Provider {
	ctx, stop := context.WithTimeout(ctx, d)
	defer stop()
	p, err := l.connect(ctx, nil)
	if err != nil {
		return nil
	}
	return p
}
