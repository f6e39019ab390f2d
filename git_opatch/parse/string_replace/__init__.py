"""String replacement in JSON, as the edit tools of agents are called."""
