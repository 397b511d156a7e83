"""What is asked: families, sources, tasks and their hidden outcomes; frozen once published."""
