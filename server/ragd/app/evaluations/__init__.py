"""Evaluation by the daemon itself: its datasets, and the jobs that measure and tune."""
