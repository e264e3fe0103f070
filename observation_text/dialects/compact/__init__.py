"""The dialect `compact`: short observations that keep the books."""
