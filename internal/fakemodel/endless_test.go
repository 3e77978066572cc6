package fakemodel_test

import (
	"bytes"
	"context"
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

// streamed are the APIs with a request for a stream.
func streamed(text string) []struct{ path, body string } {
	return []struct{ path, body string }{
		{"/v1/chat/completions", chatRequest(text, map[string]any{"stream": true})},
		{"/v1/responses", responsesRequest(text, true)},
		{"/v1/messages", anthropicRequest(text, true)},
		{geminiEvents, geminiRequest(text)},
	}
}

func TestEndlessStreams(t *testing.T) {
	for _, tt := range streamed("@@ENDLESS 0@@") {
		t.Run(tt.path, func(t *testing.T) {
			model := fakemodel.New(nil)
			handler, ended := over(model)
			server := httptest.NewServer(handler)
			defer server.Close()
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+tt.path, strings.NewReader(tt.body))
			require.NoError(t, err)
			res, err := server.Client().Do(req)
			require.NoError(t, err)
			defer res.Body.Close()
			var seen bytes.Buffer
			for !strings.Contains(seen.String(), "endless20 ") {
				_, err := io.CopyN(&seen, res.Body, 100)
				require.NoError(t, err)
			}
			require.Contains(t, seen.String(), "endless0 ")
			require.NoError(t, res.Body.Close())
			assert.Equal(t, http.ErrAbortHandler, <-ended)
			c := model.Calls()[0]
			assert.Equal(t, fakemodel.KindEndless, c.Kind)
			assert.Equal(t, http.StatusOK, c.Status)
		})
	}
}

func TestEndlessKeepsItsPace(t *testing.T) {
	for _, tt := range streamed("@@ENDLESS@@") {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 1050*time.Millisecond)
			defer cancel()
			w := httptest.NewRecorder()
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, tt.path, strings.NewReader(tt.body))
			assert.PanicsWithValue(t, http.ErrAbortHandler, func() { fakemodel.New(nil).ServeHTTP(w, r) })
			assert.Equal(t, 11, strings.Count(w.Body.String(), "endless"), w.Body.String())
		})
	}
}

func TestSilence(t *testing.T) {
	tests := []struct{ name, path, body string }{
		{"chat", "/chat/completions", chatRequest("@@ENDLESS@@", nil)},
		{"responses", "/responses", responsesRequest("@@HANG@@", true)},
		{"responses, endless", "/responses", responsesRequest("@@ENDLESS@@", false)},
		{"anthropic", "/messages", anthropicRequest("@@HANG@@", true)},
		{"anthropic, endless", "/messages", anthropicRequest("@@ENDLESS@@", false)},
		{"gemini", geminiEvents, geminiRequest("@@HANG@@")},
		{"gemini, endless", geminiWhole, geminiRequest("@@ENDLESS@@")},
		{"gemini, endless array", geminiArray, geminiRequest("@@ENDLESS@@")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				model, w := fakemodel.New(nil), httptest.NewRecorder()
				r := httptest.NewRequestWithContext(ctx, http.MethodPost, tt.path, strings.NewReader(tt.body))
				assert.PanicsWithValue(t, http.ErrAbortHandler, func() { model.ServeHTTP(w, r) })
				assert.Zero(t, w.Body.Len())
				assert.Zero(t, model.Calls()[0].Status)
			})
		})
	}
}

// TestBig makes sure that a big text makes big chunks in every API.
func TestBig(t *testing.T) {
	for _, tt := range streamed("@@BIG 1000000@@") {
		t.Run(tt.path, func(t *testing.T) {
			_, server := serve(t, nil)
			events := readEvents(t, postTo(t, server, tt.path, tt.body).body)
			big := 0
			for _, e := range events {
				if len(e.data) > 100_000 && len(e.data) < 500_000 {
					big++
				}
			}
			assert.Equal(t, 8, big)
		})
	}
}
