"""Is my curve normal? What a run shows, compared with runs known to be sound, and what is likely to be wrong."""
