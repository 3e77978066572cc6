// Package bench gives a real agent a place to run in: a home and a workspace of its own, a model server on loopback instead of
// an account, MCP servers that write down what happens to them, and the configuration that its recipe
// ([backends.Recipe]) asks for.
//
//	b, err := bench.Start(ctx, recipe, nil)
//	…
//	p, err := connector.Connect(ctx, &provider.ConnectOptions{EnvMode: provider.EnvClean, SetEnv: b.Env(), Dir: b.Workspace()})
//	…
//	err = b.Close()
package bench
