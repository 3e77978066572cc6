package fakeagent_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemcp"
)

func TestMCPGivenServerIsOfItsSession(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	content := agentFile(entries{"s": b.server("s", "autoApprove", []string{"alpha"}), "keep": b.server("keep")}, "@keep", "@s")
	content["allowedTools"] = []string{"@keep"}
	b.write(content)
	b.start(fakeagent.MCPScript{})
	plain := b.begin()
	session := b.begin(b.given("s", "given"), b.given("more", "more"),
		settings{"type": "http", "name": "web", "url": "http://127.0.0.1:1/", "headers": []string{}},
		settings{"name": "none", "command": b.file + "/none", "args": []string{}, "env": []string{}})
	assert.Equal(t, "keep_alpha keep_beta more_alpha more_beta s_alpha s_beta", b.offered(session))
	assert.Equal(t, both, b.offered(plain))
	assert.Equal(t, works, b.use(plain, "s_alpha"), "the server of the file is approved of")
	_, before := b.prompt(session, `@@TOOL s_alpha {"x":"1"}@@`, selected("opt-7"))
	assert.Equal(t, `done after tool: given/alpha: {"x":"1"}`, said(before))
	assert.Equal(t, "session/request_permission", before[1].Method, "another one is not")

	delete(content["mcpServers"].(entries), "s")
	content["mcpServers"].(entries)["mark"] = b.server("mark")
	b.write(content)
	b.hears("mark")
	assert.Equal(t, "keep_alpha keep_beta more_alpha more_beta s_alpha s_beta", b.offered(session))
	assert.Equal(t, keep, b.offered(plain))

	b.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
	assert.Equal(t, 1, b.count(happened("given", fakemcp.EventExit)))
	assert.Equal(t, 1, b.count(happened("more", fakemcp.EventExit)))
	b.call("session/resume", fmt.Sprintf(`{"sessionId":%q,"cwd":"/work","mcpServers":[%s]}`, session, encoded(t, b.given("s", "again"))))
	assert.Equal(t, both, b.offered(session))
	assert.Equal(t, []string{"keep", "mark", "s"}, sorted(b.notices), "nothing is said of those that a session was given")
}

func TestMCPServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	for name, notice := range map[fakeagent.MCPNotice]string{"": "serverName", "name": "name", "none": ""} {
		t.Run(string(name), func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			dies := b.env("dies")
			dies[serverTools] = b.file + ".none" // it does not start without
			b.write(agentFile(entries{
				"none": settings{"command": b.file + "/none", "env": map[string]string{"KEY": b.file + "/none"}},
				"nil":  settings{"url": "http://127.0.0.1:1/"},
				"dies": b.server("dies", "env", dies), "keep": b.server("keep"),
			}, "*"))
			b.start(fakeagent.MCPScript{Notice: name})
			id := b.request("session/new", newParams)
			all := b.until(answers(id))
			require.Nil(t, all[len(all)-1].Error)
			assert.Equal(t, keep, b.offered(b.begin()))
			if notice == "" {
				assert.Empty(t, b.notices)
				return
			}
			assert.Equal(t, []string{"dies!", "keep", "nil!", "none!"}, sorted(b.notices))
			for _, f := range b.told {
				switch f.notice() {
				case "none!":
					assert.Contains(t, f.Params.Error, "***")
					assert.NotContains(t, f.raw, b.file)
				case "dies!":
					assert.Equal(t, "the server is gone", f.Params.Error)
				}
				assert.Contains(t, f.raw, fmt.Sprintf(`%q:%q`, notice, f.Params.ServerName+f.Params.Name))
			}
		})
	}
}

func TestMCPServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	env := b.env("mute")
	env[serverFault] = "mute"
	b.write(agentFile(entries{"mute": b.server("mute", "env", env)}))
	opts := fakeagent.Options{AgentFile: b.file}
	fakeagent.Impatient(&opts, 100*time.Millisecond)
	b.client = dialWith(t, opts)
	session := b.open()
	assert.NotEmpty(t, session)
	_, before := b.prompt(session, "tools", "")
	assert.Equal(t, "no tools", said(before))
	require.Equal(t, []string{"mute!"}, b.notices)
	assert.Equal(t, "no answer within 100ms", b.told[0].Params.Error)
}

func TestMCPLeavesNoProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal that asks for a process")
	}
	for name, end := range map[string]func(b *bench){
		"end of input": func(b *bench) { require.NoError(b.t, b.conn.Close()) },
		"context":      func(b *bench) { b.stop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			env := b.env("s")
			env[serverFault] = "stubborn"
			b.write(agentFile(entries{"s": b.server("s", "env", env), "keep": b.server("keep")}, "*"))
			b.start(fakeagent.MCPScript{})
			session := b.begin(b.given("given", "given"))
			b.request("session/prompt", promptParams(session, "@@HANG@@"))
			end(b)
			err := b.wait()
			if !errors.Is(err, context.Canceled) {
				require.NoError(t, err)
			}
			starts := b.await(func(e fakemcp.Entry) bool { return e.Event == fakemcp.EventStart }, 3)
			for _, e := range starts {
				process, err := os.FindProcess(e.PID)
				if err == nil {
					err = process.Signal(syscall.Signal(0))
				}
				assert.Error(t, err, e.Label)
				assert.Equal(t, os.Getpid(), e.PPID)
			}
			assert.Equal(t, 1, b.count(happened("keep", fakemcp.EventEOF)), "it is asked first")
		})
	}
}
