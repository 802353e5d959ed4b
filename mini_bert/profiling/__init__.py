"""What a training step takes: measured place by place, and foretold for this machine."""
