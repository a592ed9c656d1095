"""What every request passes."""
