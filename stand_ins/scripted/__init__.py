"""The model `scripted`: a rule-based stand-in for a language model.

It is a process of its own that answers chat completions on the loopback interface. It gets the
messages of each request and nothing else, besides a table of what the instructions ask for in
categories and relations, which takes the place of understanding language. A run with it shows that
the mechanism works, and says nothing about any language model.

From request to reply: `formats` reads a planner's messages into a transcript, `dialects` into the
words of one dialect, `household` or `blocks` choose what a careful person would do next, the format
writes the reply, and `faults` may spoil it.

`--model scripted` starts it for the run; `--model scripted:malformed=0.1,slow=0.05` with faults.
"""

#: What the model is called over the wire.
NAME = "scripted"
