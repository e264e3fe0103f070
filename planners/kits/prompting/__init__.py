"""How planners ask a language model: conversations, menus, templates and the rules of a domain."""
