"""Page hosts: the three ways in which an agent reaches a page, behind one contract."""
