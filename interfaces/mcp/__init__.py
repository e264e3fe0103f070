"""An episode over MCP; see `planners.external.mcp_server`, which speaks the protocol."""
