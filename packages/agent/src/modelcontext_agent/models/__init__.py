"""Models: their construction, scripted ones, and everything that goes wrong between a chat and a provider."""
