"""Providers: calibration."""
