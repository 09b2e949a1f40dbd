"""The phrasebook: the words of the platform as data, by standard."""
