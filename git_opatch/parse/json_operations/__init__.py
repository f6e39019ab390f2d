"""Operations in JSON, and any patch inside a JSON string."""
