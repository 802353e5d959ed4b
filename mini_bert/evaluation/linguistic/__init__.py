"""What a model knows of language before anybody has taught it a task: grammar, meaning, facts."""
