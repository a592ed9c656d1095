"""Settings, secrets and the policy of the machine."""
