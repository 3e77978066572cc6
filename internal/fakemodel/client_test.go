package fakemodel_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

// serve starts a fake model for one test.
func serve(t *testing.T, opts *fakemodel.Options) (*fakemodel.Server, *httptest.Server) {
	t.Helper()
	model := fakemodel.New(opts)
	server := httptest.NewServer(model)
	t.Cleanup(func() {
		model.Close() // or server.Close waits for a reply that hangs
		server.Close()
	})
	return model, server
}

// chatRequest is the JSON of a request with one user message.
func chatRequest(text string, more map[string]any) string {
	body := map[string]any{
		"model":    "fake-model",
		"messages": []any{map[string]any{"role": "user", "content": text}},
	}
	maps.Copy(body, more)
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// response is a response that was read to its end.
type response struct {
	status      int
	contentType string
	body        string
}

func send(ctx context.Context, client *http.Client, method, url string, body io.Reader) (response, error) {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return response{}, err
	}
	res, err := client.Do(req)
	if err != nil {
		return response{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return response{res.StatusCode, res.Header.Get("Content-Type"), string(data)}, err
}

// post sends a chat request that is expected to be answered.
func post(t *testing.T, server *httptest.Server, body string) response {
	t.Helper()
	return postTo(t, server, "/v1/chat/completions", body)
}

// postTo is post for any API.
func postTo(t *testing.T, server *httptest.Server, path, body string) response {
	t.Helper()
	res, err := send(t.Context(), server.Client(), http.MethodPost, server.URL+path, strings.NewReader(body))
	require.NoError(t, err)
	return res
}

// understood returns what the server makes of a request.
func understood(t *testing.T, path, body string) fakemodel.Request {
	t.Helper()
	var got fakemodel.Request
	_, server := serve(t, &fakemodel.Options{Reply: func(r fakemodel.Request) fakemodel.Reply {
		got = r
		return fakemodel.Reply{}
	}})
	res := postTo(t, server, path, body)
	require.Equal(t, http.StatusOK, res.status, res.body)
	require.Equal(t, "Go-http-client/1.1", got.UserAgent)
	got.UserAgent = ""
	return got
}

// event is a server-sent event.
type event struct{ name, data string }

// readEvents reads a stream strictly: an event line if there is a name, a data
// line, a blank line.
func readEvents(t *testing.T, body string) []event {
	t.Helper()
	var events []event
	blocks := strings.Split(body, "\n\n")
	require.Empty(t, blocks[len(blocks)-1], "an event without an end")
	for _, block := range blocks[:len(blocks)-1] {
		var e event
		if name, rest, ok := strings.Cut(block, "\n"); ok {
			e.name, ok = strings.CutPrefix(name, "event: ")
			require.True(t, ok, block)
			block = rest
		}
		data, ok := strings.CutPrefix(block, "data: ")
		require.True(t, ok, block)
		require.NotContains(t, data, "\n")
		e.data = data
		events = append(events, e)
	}
	return events
}

// answered is how a dialect answers markers, in one text: the whole answer, or
// the data of all events.
func answered(t *testing.T, path, body string) string {
	t.Helper()
	_, server := serve(t, nil)
	res := postTo(t, server, path, body)
	require.Equal(t, http.StatusOK, res.status, res.body)
	if res.contentType != "text/event-stream" {
		require.Equal(t, "application/json", res.contentType)
		return res.body
	}
	var data []string
	for _, e := range readEvents(t, res.body) {
		var typed struct{ Type string } // which Gemini has not, nor names
		require.NoError(t, json.Unmarshal([]byte(e.data), &typed))
		require.Equal(t, typed.Type, e.name)
		data = append(data, e.data)
	}
	return "[" + strings.Join(data, ",") + "]"
}
