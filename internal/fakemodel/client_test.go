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
	res, err := send(t.Context(), server.Client(), http.MethodPost, server.URL+"/v1/chat/completions", strings.NewReader(body))
	require.NoError(t, err)
	return res
}
