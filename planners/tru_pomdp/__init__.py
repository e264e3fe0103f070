"""Planning in a belief that a language model proposes, after Tru-POMDP."""
