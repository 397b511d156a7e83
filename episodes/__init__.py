"""What agents did: agents, keys, episodes, purchases, answers. Facts, only ever added to."""
