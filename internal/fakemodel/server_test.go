package fakemodel_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/acpharness/acpharness/internal/fakemodel"
)

func TestRoutes(t *testing.T) {
	tests := []struct {
		method, path string
		status       int
	}{
		{"HEAD", "/", 200},
		{"GET", "/", 404},
		{"GET", "/v1/chat/completions", 404},
		{"POST", "/v1/models", 404},
		{"POST", "/v1/completions", 404},
		{"POST", "/v1/chat/completions", 400}, // no body
		{"POST", "/v1/responses", 400},
		{"POST", "/v1/messages", 400},
		{"POST", "/v1/messages/count_tokens", 400},
		{"POST", "/v1/messages/other", 404},
		{"POST", "/v1beta/models/m:generateContent", 400},
		{"POST", "/v1beta/models/m:streamGenerateContent", 400},
		{"POST", "/v1beta/models/m:countTokens", 400},
		{"POST", "/v1beta/models/m:embedContent", 404},
		{"POST", "/v1beta/models/m", 404},
		{"POST", "/v1:x/models/m", 404},
		{"GET", "/v1beta/models/m:generateContent", 404},
	}
	for _, tt := range tests {
		model := fakemodel.New(nil)
		w := httptest.NewRecorder()
		model.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), tt.method, tt.path, http.NoBody))
		assert.Equal(t, tt.status, w.Code, "%s %s", tt.method, tt.path)
		if tt.method != "HEAD" {
			assert.True(t, json.Valid(w.Body.Bytes()), "%s %s", tt.method, tt.path)
		}
		require.Len(t, model.Calls(), 1)
		assert.Equal(t, tt.status, model.Calls()[0].Status)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

func TestBodies(t *testing.T) {
	const good = `{"model":"m","messages":[{"role":"user","content":"@@TEXT read@@"}]}`
	zeros := packed(t, strings.Repeat(" ", 2000)+good)
	require.Less(t, len(zeros), 1000, "the packed body alone is below the limit")
	tests := []struct {
		name, encoding, body string
		status               int
		text                 string
	}{
		{"plain", "", good, 200, `"content":"read"`},
		{"identity", "identity", good, 200, `"content":"read"`},
		{"gzip", "gzip", packed(t, good), 200, `"content":"read"`},
		{"gzip by its old name", "X-GZIP", packed(t, good), 200, `"content":"read"`},
		{"zstd", "zstd", "\x28\xb5\x2f\xfd", 415, `cannot read content-encoding \"zstd\": send gzip or none`},
		{"two encodings", "gzip, br", "x", 415, `cannot read content-encoding \"gzip, br\"`},
		{"not gzip", "gzip", good, 400, "cannot unpack the body"},
		{"cut gzip", "gzip", packed(t, good)[:30], 400, "cannot read the body"},
		{"not JSON", "", "{", 400, "cannot read the chat completions request"},
		{"content is a number", "", `{"messages":[{"role":"user","content":1}]}`, 400, "cannot read a content"},
		{"at the limit", "", good + strings.Repeat(" ", 1000-len(good)), 200, `"content":"read"`},
		{"above the limit", "", good + strings.Repeat(" ", 1001-len(good)), 413, "more than 1000 bytes"},
		{"above the limit unpacked", "gzip", zeros, 413, "more than 1000 bytes"},
	}
	for _, tt := range tests {
		for _, chunked := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				model, server := serve(t, nil)
				model.SetBodyLimit(1000)
				var body io.Reader = strings.NewReader(tt.body)
				if chunked {
					body = io.MultiReader(body) // hides the length
				}
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/chat/completions", body)
				require.NoError(t, err)
				if tt.encoding != "" {
					req.Header.Set("Content-Encoding", tt.encoding)
				}
				res, err := server.Client().Do(req)
				require.NoError(t, err)
				defer res.Body.Close()
				assert.Equal(t, tt.status, res.StatusCode)
				answer, err := io.ReadAll(res.Body)
				require.NoError(t, err)
				assert.Contains(t, string(answer), tt.text)
				require.Len(t, model.Calls(), 1)
				assert.Equal(t, tt.status, model.Calls()[0].Status)
			})
		}
	}
}

// over is a handler that tells when a request is over.
func over(model *fakemodel.Server) (http.Handler, <-chan any) {
	ended := make(chan any, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			how := recover()
			ended <- how
			if how != nil {
				panic(how)
			}
		}()
		model.ServeHTTP(w, r)
	}), ended
}

func TestUnfinishedReplyEndsWithTheClient(t *testing.T) {
	tests := []struct {
		name, text string
		stream     bool
	}{
		{"hang", "@@HANG@@", false},
		{"hang, stream", "@@HANG@@", true},
		{"slow", "@@SLOW 2 1000000@@", false},
		{"slow, stream", "@@SLOW 2 1000000@@", true},
		{"endless", "@@ENDLESS 1@@", false},
		{"endless, stream", "@@ENDLESS 1@@", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			begun := make(chan fakemodel.Call, 1)
			model := fakemodel.New(&fakemodel.Options{Journal: func(c fakemodel.Call) { begun <- c }})
			handler, ended := over(model)
			server := httptest.NewServer(handler)
			defer server.Close()

			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			body := strings.NewReader(chatRequest(tt.text, map[string]any{"stream": tt.stream}))
			failed := make(chan error, 1)
			go func() {
				_, err := send(ctx, server.Client(), http.MethodPost, server.URL+"/chat/completions", body)
				failed <- err
			}()
			<-begun
			select {
			case how := <-ended:
				require.Fail(t, "the reply ended by itself", "%v", how)
			default:
			}
			leave()
			require.ErrorIs(t, <-failed, context.Canceled)
			assert.Equal(t, http.ErrAbortHandler, <-ended)
		})
	}
}

func TestUnfinishedReplyEndsWithTheServer(t *testing.T) {
	for _, text := range []string{"@@HANG@@", "@@SLOW 2 1000000@@", "@@ENDLESS 1@@"} {
		t.Run(text, func(t *testing.T) {
			begun := make(chan fakemodel.Call, 1)
			model, server := serve(t, &fakemodel.Options{Journal: func(c fakemodel.Call) { begun <- c }})
			body := strings.NewReader(chatRequest(text, map[string]any{"stream": true}))
			failed := make(chan error, 1)
			go func() {
				_, err := send(t.Context(), server.Client(), http.MethodPost, server.URL+"/chat/completions", body)
				failed <- err
			}()
			<-begun
			model.Close()
			model.Close()
			assert.Error(t, <-failed, "half an answer must not look like a whole one")
		})
	}
}

// TestArgumentsAreAnObject holds a Reply of one's own to what it may say.
func TestArgumentsAreAnObject(t *testing.T) {
	for _, args := range []string{"null", "[1]", `"a"`, "{oops", " "} {
		for _, whole := range []bool{true, false} {
			for _, tt := range []struct{ path, body string }{
				{"/chat/completions", chatRequest("", map[string]any{"stream": !whole})},
				{"/responses", responsesRequest("", !whole)},
				{"/messages", anthropicRequest("", !whole)},
				{map[bool]string{true: geminiWhole, false: geminiEvents}[whole], geminiRequest("")},
			} {
				model, server := serve(t, &fakemodel.Options{Reply: func(fakemodel.Request) fakemodel.Reply { return tool("t", args) }})
				res := postTo(t, server, tt.path, tt.body)
				assert.Equal(t, http.StatusInternalServerError, res.status, tt.path)
				assert.Contains(t, res.body, `"message":"cannot read the arguments of the tool call: `, tt.path)
				assert.Equal(t, http.StatusInternalServerError, model.Calls()[0].Status)
				assert.Equal(t, fakemodel.KindError, model.Calls()[0].Kind)
			}
		}
	}
}

func TestSlowKeepsItsPace(t *testing.T) {
	for _, stream := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			body := strings.NewReader(chatRequest("@@SLOW 5 200@@", map[string]any{"stream": stream}))
			start := time.Now()
			w := httptest.NewRecorder()
			fakemodel.New(nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/chat/completions", body))
			assert.Equal(t, 800*time.Millisecond, time.Since(start))
			assert.Contains(t, w.Body.String(), "slow4")
		})
	}
}
