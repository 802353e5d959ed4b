"""How good is a model? Exams, and what simple methods reach in them."""
