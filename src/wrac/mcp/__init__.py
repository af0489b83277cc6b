"""The MCP server: a workspace as tools and resources for a language model's client."""
