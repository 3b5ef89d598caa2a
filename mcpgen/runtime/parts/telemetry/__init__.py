"""Traces and metrics with OpenTelemetry."""
