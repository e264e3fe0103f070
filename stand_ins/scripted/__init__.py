"""The model `scripted`: a rule-based stand-in for a language model.

It is a process of its own that speaks the chat-completions protocol on the loopback interface. It
gets the messages of each request and nothing else, besides a table from instructions to what they
ask for in categories and relations, which is its understanding of language. What comes of a run
with it shows that the mechanism works, and says nothing about any language model.

From request to reply: `server` checks the request, `voices` turns a planner's messages into a
transcript, `memory` reads it, `mind` decides what a careful person would do next, the voice words
the answer, and `faults` may spoil it.

`--model scripted` starts it for the run; `--model scripted:malformed=0.1,slow=0.05` with faults.
"""

#: What the model is called over the wire.
MODEL = "scripted"
