"""How planners query a language model: conversations, menus, templates and rules of a domain."""
