package fakeagent_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakeagent"
	"github.com/acpharness/acpharness/internal/fakemcp"
)

func TestMCPHoldsAnEditWhileAnySessionIsInATurn(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(agentFile(entries{"keep": b.server("keep")}, "*"))
	b.start(fakeagent.MCPScript{})
	busy, idle := b.begin(), b.begin()
	id := b.request("session/prompt", promptParams(busy, "@@HANG@@"))
	assert.Equal(t, keep, b.offered(idle))
	b.write(agentFile(entries{"s": b.server("s")}, "*"))
	elapse(t)
	assert.Equal(t, keep, b.offered(idle))
	assert.Equal(t, `keep/alpha: {"x":"1"}`, b.use(idle, "keep_alpha"))
	assert.Zero(t, b.count(happened("s", fakemcp.EventStart)))
	b.cancel(busy)
	all := b.until(answers(id))
	assert.Equal(t, "cancelled", stopReason(t, all[len(all)-1]))
	b.hears("s")
	assert.Equal(t, "s_alpha s_beta", b.offered(idle))
	assert.Equal(t, "s_alpha s_beta", b.offered(busy))
	assert.Equal(t, 1, b.count(happened("keep", fakemcp.EventExit)))
}

func TestMCPFollowsEveryWayToWriteTheFile(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	assert.Empty(t, b.offered(session), "there is no file")
	b.write(agentFile(entries{"keep": b.server("keep")}, "*"))
	b.hears("keep")

	for _, bad := range []string{"", `{"mcpServers":{"s":{`, `{"mcpServers":{"keep":{"args":1}}}`} {
		require.NoError(t, os.WriteFile(b.file, []byte(bad), 0o600)) // in place
		elapse(t)
		assert.Equal(t, keep, b.offered(session), bad)
	}
	require.NoError(t, os.Remove(b.file))
	require.NoError(t, os.Mkdir(b.file, 0o700)) // cannot be read
	elapse(t)
	assert.Equal(t, keep, b.offered(session))
	assert.Equal(t, 1, b.count(happened("keep", fakemcp.EventStart)))
	assert.Zero(t, b.count(happened("keep", fakemcp.EventExit)))

	require.NoError(t, os.Remove(b.file))
	b.await(happened("keep", fakemcp.EventExit), 1)
	assert.Empty(t, b.offered(session))
	b.write(agentFile(entries{"s": b.server("s")}, "*"))
	b.hears("s")
	assert.Equal(t, "s_alpha s_beta", b.offered(session))
}

func TestMCPReadsTheFileByItsWords(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	content := agentFile(entries{
		"text":  b.server("text", "disabled", "true", "disabledTools", []string{"beta"}),
		"one":   b.server("one", "disabled", 1),
		"case":  b.server("case", "Disabled", true),
		"off":   b.server("off", "disabled", true),
		"part":  b.server("part"),
		"plain": b.server("plain"), // nothing refers to it
	}, "@text", "@one/beta", "@case", "@off", "@part/alpha", "@plai")
	b.write(content)
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	assert.Equal(t, "case_alpha case_beta one_beta part_alpha text_alpha", b.offered(session))
	assert.Equal(t, 5, b.count(func(e fakemcp.Entry) bool { return e.Event == fakemcp.EventStart }))
	delete(content, "tools")
	content["mcpServers"].(entries)["mark"] = b.server("mark")
	b.write(content)
	b.hears("mark")
	assert.Equal(t, "case_alpha case_beta mark_alpha mark_beta one_alpha one_beta part_alpha part_beta plain_alpha "+
		"plain_beta text_alpha", b.offered(session))
}

func TestMCPSlowAndFlippingAgentsDoNotFollow(t *testing.T) {
	t.Parallel()
	for _, script := range []fakeagent.MCPScript{
		{Profile: fakeagent.MCPSlow}, {Profile: fakeagent.MCPFlipping}, {Profile: fakeagent.MCPBroken},
	} {
		t.Run(string(script.Profile), func(t *testing.T) {
			t.Parallel()
			if script.Profile == fakeagent.MCPSlow {
				script.Delay = fakeagent.Duration(3 * patience)
			}
			b := newBench(t)
			b.write(agentFile(entries{"keep": b.server("keep")}, "*"))
			b.start(script)
			session := b.begin()
			injected := b.begin(b.given("s", "given"))
			b.write(agentFile(entries{"mark": b.server("mark")}, "*"))
			elapse(t)
			assert.Equal(t, keep, b.offered(session))
			assert.Equal(t, both, b.offered(injected))
			assert.Equal(t, keep, b.offered(b.begin()))
			assert.Equal(t, []string{"keep"}, b.notices)
		})
	}
}

func TestMCPFlippingDropsTheEditThatIsHeld(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.write(agentFile(entries{"keep": b.server("keep")}, "*"))
	b.start(fakeagent.MCPScript{Profile: fakeagent.MCPFlipping})
	session := b.begin()
	id := b.request("session/prompt", promptParams(session, "@@HANG@@"))
	b.write(agentFile(entries{"mark": b.server("mark")}, "*"))
	elapse(t)
	b.begin(b.given("s", "given"))
	b.cancel(session)
	b.until(answers(id))
	elapse(t)
	assert.Equal(t, keep, b.offered(session))
}

func TestMCPListsToolsAnewWhenTheyChange(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	tools := b.file + ".tools"
	write := func(name string) {
		require.NoError(t, os.WriteFile(tools, fmt.Appendf(nil, `{"tools":[{"name":%q}]}`, name), 0o600))
	}
	write("first")
	env := b.env("s")
	env[serverTools] = tools
	b.write(agentFile(entries{"s": b.server("s", "env", env)}, "@s"))
	b.start(fakeagent.MCPScript{})
	session := b.begin()
	assert.Equal(t, "s_first", b.offered(session))
	write("second")
	b.await(func(e fakemcp.Entry) bool { return e.Method == "tools/list" }, 2)
	assert.Equal(t, "s_second", b.offered(session))
}
