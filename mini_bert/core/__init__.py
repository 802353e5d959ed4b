"""The engine: functions beside their gradients, parts made of them, a trace that names every number."""
