package transcript_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/acp"
	"github.com/acpharness/acpharness/acp/acptest"
	"github.com/acpharness/acpharness/acp/transcript"
)

// open returns a session of an agent that follows script.
func open(t *testing.T, script *acptest.Script, opts *acp.ClientOptions) *acp.Session {
	t.Helper()
	agent := acptest.NewAgent(script)
	t.Cleanup(agent.Close)
	conn, err := acp.NewClient(acp.Implementation{Name: "test", Version: "1"}, opts).Connect(t.Context(), agent)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, conn.Close(context.Background())) })
	session, err := conn.NewSession(t.Context(), t.TempDir(), nil)
	require.NoError(t, err)
	return session
}

// prompt plays one turn into record.
func prompt(t *testing.T, session *acp.Session, record *transcript.Transcript, text string) {
	t.Helper()
	record.BeginTurn(acp.Text(text))
	turn, err := session.Prompt(t.Context(), acp.Text(text), nil)
	require.NoError(t, err)
	for n := range turn.Updates() {
		record.Add(n)
	}
	record.EndTurn(turn.Wait(t.Context()))
}

func TestToolCallsOverTheWire(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		tool acptest.Tool
		want []string // of two turns
	}{
		{"good", acptest.Tool{}, []string{"1 completed", "2 completed"}},
		{"never announced", acptest.Tool{NoCreate: true}, []string{"1 completed placeholder", "2 completed placeholder"}},
		{"announced twice", acptest.Tool{Upsert: true}, []string{"1 completed", "2 completed"}},
		{"left open", acptest.Tool{Open: true}, []string{"1 pending unknown", "2 pending unknown"}},
		{"one id for all", acptest.Tool{ReuseID: true}, []string{"1 completed", "2 completed"}},
		{"failed", acptest.Tool{Status: "failed"}, []string{"1 failed", "2 failed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			session := open(t, &acptest.Script{Tool: &tc.tool}, nil)
			record := transcript.New(nil)
			prompt(t, session, record, "one")
			prompt(t, session, record, "two")
			var got []string
			for _, e := range record.Entries() {
				if c, ok := e.(*transcript.ToolCall); ok {
					state := fmt.Sprint(c.Turn, " ", c.Status, " ", c.End)
					if c.Placeholder {
						state += "placeholder"
					}
					got = append(got, strings.TrimSpace(state))
					assert.NotEmpty(t, c.Raw)
				}
			}
			assert.Equal(t, tc.want, got)
			assert.Contains(t, record.Text(), "two")
		})
	}
}

// TestReadersSeeWholeSnapshots reads while a turn is written.
func TestReadersSeeWholeSnapshots(t *testing.T) {
	t.Parallel()
	session := open(t, &acptest.Script{Updates: 500, Tool: &acptest.Tool{}}, nil)
	record := transcript.New(&transcript.Options{MaxEntries: 2})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				for _, e := range record.Entries() {
					if m, ok := e.(*transcript.Message); ok && m.Role == transcript.RoleAgent {
						assert.True(t, strings.HasSuffix(m.Text, " "), "%q", m.Text)
						_ = m.Content()
					}
				}
				_, _ = fmt.Fprint(io.Discard, record.Text(), record.Dropped(), record.Others())
			}
		})
	}
	prompt(t, session, record, "count")
	close(done)
	readers.Wait()
	assert.True(t, strings.HasSuffix(record.Text(), "chunk 499 "))
}

func TestPermissionOverTheWire(t *testing.T) {
	t.Parallel()
	record := transcript.New(nil)
	session := open(t, nil, &acp.ClientOptions{Permission: acp.PermissionFunc(
		func(_ context.Context, req *acp.PermissionRequest) (acp.PermissionOutcome, error) {
			assert.NotNil(t, record.AddPermission(req).Entry)
			return req.Reject(), nil
		},
	)})
	prompt(t, session, record, "permission")
	for _, e := range record.Entries() {
		if c, ok := e.(*transcript.ToolCall); ok {
			assert.False(t, c.Open())
			assert.NotNil(t, c.Title)
		}
	}
}
