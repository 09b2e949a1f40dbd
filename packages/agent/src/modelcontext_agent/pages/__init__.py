"""Pages: the three ways in which an agent reaches a page (simulated, live, remote), behind one contract."""
