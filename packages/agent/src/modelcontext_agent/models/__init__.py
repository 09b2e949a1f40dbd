"""Models: their construction, one with canned answers, and everything that goes wrong between a chat and a provider."""
