"""The reader of specification prose: sentences as a syntax tree, and a phrasebook of the platform's words."""
