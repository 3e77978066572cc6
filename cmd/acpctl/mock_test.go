package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// startModel starts "acpctl mock model" and returns the URL that it prints.
func startModel(t *testing.T, args ...string) (cmd *exec.Cmd, url string, errs *bytes.Buffer) {
	t.Helper()
	cmd = exec.Command("acpctl", append([]string{"mock", "model"}, args...)...)
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
	errs = &bytes.Buffer{}
	cmd.Stderr = errs
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, errs)
	return cmd, strings.TrimSpace(line), errs
}

func TestMockModelPrintsItsURLAndAnswers(t *testing.T) {
	t.Parallel()
	cmd, url, errs := startModel(t)
	require.Regexp(t, `^http://127\.0\.0\.1:[1-9]\d*$`, url)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Post(url+"/v1/chat/completions", "application/json",
		strings.NewReader(`{"model":"any","messages":[{"role":"user","content":"hello"}]}`))
	require.NoError(t, err)
	answer, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Contains(t, string(answer), "pong")
	if runtime.GOOS == "windows" {
		return // there is no signal to end it with in good order; the cleanup kills it
	}
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait(), errs)
}

func TestMockModelListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "nonsense"} {
		cmd := exec.Command("acpctl", "mock", "model", "--listen", address)
		var errs strings.Builder
		cmd.Stderr = &errs
		assert.Error(t, cmd.Run(), address)
		assert.NotEmpty(t, errs.String(), address)
	}
}
