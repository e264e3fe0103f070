"""The dialect `blocks`: what an arm before blocks senses, and its actions as calls."""
