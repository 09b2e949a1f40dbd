"""Programs and their outcomes: the language, the interpreter in the model, the exploration, the rendering to pages."""
