package acp

import (
	"context"
	"fmt"
	"net/url"
)

const (
	methodProvidersList    = "providers/list"
	methodProvidersSet     = "providers/set"
	methodProvidersDisable = "providers/disable"
)

// LLMProvider is a service from which an agent has its models (ProviderInfo).
type LLMProvider struct {
	ID        string // providerId
	Supported []LLMProtocol
	Required  bool       // it cannot be disabled
	Current   *LLMConfig // nil if it is not set, or disabled
}

// LLMConfig says where a provider is reached (ProviderCurrentConfig).
type LLMConfig struct {
	Protocol LLMProtocol // apiType
	BaseURL  string
	// Headers are sent with every call of the agent's to the provider. Agents never tell them.
	Headers []HTTPHeader
}

// LLMProtocol is what a provider speaks (LlmProtocol). It is open.
type LLMProtocol string

// The protocols of the protocol.
const (
	LLMAnthropic LLMProtocol = "anthropic"
	LLMOpenAI    LLMProtocol = "openai"
	LLMAzure     LLMProtocol = "azure"
	LLMVertex    LLMProtocol = "vertex"
	LLMBedrock   LLMProtocol = "bedrock"
)

// LLMProviders asks which providers the agent can be told of. Like the other calls of this file it is of the protocol's drafts:
// of an agent that does not advertise it the error is ErrUnsupported. It mirrors providers/list.
func (c *Conn) LLMProviders(ctx context.Context) ([]LLMProvider, error) {
	result, err := c.askProviders(ctx, methodProvidersList, struct{}{})
	if err != nil {
		return nil, fmt.Errorf("cannot list the providers: %w", err)
	}
	var providers []LLMProvider
	var d decoder
	d.object("result", result, func(key, value []byte) {
		if string(key) == "providers" {
			d.list("providers", value, func(value []byte) {
				if p, ok := d.llmProvider(value); ok {
					providers = append(providers, p)
				}
			})
		}
	})
	c.warnings("", d.warnings)
	return providers, nil
}

// SetLLMProvider tells the agent where a provider is reached. It mirrors providers/set.
func (c *Conn) SetLLMProvider(ctx context.Context, id string, config LLMConfig) error {
	c.redact.learn(append(secretHeaders(config.Headers), secretsOfURL(config.BaseURL)...))
	if _, err := c.askProviders(ctx, methodProvidersSet, setProviderParams{id, config}); err != nil {
		return fmt.Errorf("cannot set the provider %s: %w", id, err)
	}
	return nil
}

// DisableLLMProvider has the agent do without a provider. It mirrors providers/disable.
func (c *Conn) DisableLLMProvider(ctx context.Context, id string) error {
	if _, err := c.askProviders(ctx, methodProvidersDisable, disableProviderParams{id}); err != nil {
		return fmt.Errorf("cannot disable the provider %s: %w", id, err)
	}
	return nil
}

func (c *Conn) askProviders(ctx context.Context, method string, params any) ([]byte, error) {
	if err := c.supports(c.capabilities.Providers, "providers"); err != nil {
		return nil, err
	}
	return c.control(ctx, method, params)
}

// secretsOfURL returns what an address has of a password.
func secretsOfURL(address string) []string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return nil
	}
	password, _ := u.User.Password()
	return []string{password, u.User.String()}
}

type disableProviderParams struct {
	ProviderID string `json:"providerId"`
}

type setProviderParams struct {
	id     string
	config LLMConfig
}

func (p setProviderParams) appendJSON(dst []byte) []byte {
	dst = append(dst, `{"providerId":`...)
	dst = appendString(dst, p.id)
	dst = appendRequired(dst, "apiType", string(p.config.Protocol))
	dst = appendRequired(dst, "baseUrl", p.config.BaseURL)
	if len(p.config.Headers) > 0 {
		dst = append(dst, `,"headers":{`...)
		for i, h := range p.config.Headers {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, h.Name), ':')
			dst = appendString(dst, h.Value)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

func (d *decoder) llmProvider(raw []byte) (LLMProvider, bool) {
	var p LLMProvider
	ok := d.item(raw, func(key, value []byte) {
		switch string(key) {
		case "providerId":
			d.str("providerId", value, &p.ID)
		case "supported":
			d.list("supported", value, func(value []byte) {
				var protocol LLMProtocol
				d.str("", value, (*string)(&protocol))
				p.Supported = append(p.Supported, protocol)
			})
		case "required":
			d.boolean("required", value, &p.Required)
		case "current":
			config := &LLMConfig{}
			if d.object("current", value, func(key, value []byte) {
				switch string(key) {
				case "apiType":
					d.str("apiType", value, (*string)(&config.Protocol))
				case "baseUrl":
					d.str("baseUrl", value, &config.BaseURL)
				}
			}) {
				p.Current = config
			}
		}
	})
	return p, ok
}
