"""Kinds of text: tales, diaries, letters, dialogues, lessons, descriptions, instructions."""
