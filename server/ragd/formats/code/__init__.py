"""Sections of source code: functions, classes, tables and targets."""
