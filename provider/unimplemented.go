package provider

// Unimplemented has the safe answer to everything that a provider declares: nothing is granted. Providers embed it to stay complete when
// Provider grows; parity lists who inherits an answer from it.
type Unimplemented struct{}

// McpConfigHotReload implements Provider: false.
func (Unimplemented) McpConfigHotReload() bool { return false }

// Capabilities implements Provider: the zero value.
func (Unimplemented) Capabilities() Capabilities { return Capabilities{} }
