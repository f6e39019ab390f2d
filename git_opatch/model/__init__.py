"""Values and pure text: what a patch asks for, what a file holds, what was decided."""
