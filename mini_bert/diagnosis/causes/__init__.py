"""All that may be wrong with a run."""

from mini_bert.diagnosis.causes import in_data, in_general, in_models, in_settings, in_steps
from mini_bert.diagnosis.causes.cause import Cause

CAUSES: tuple[Cause, ...] = (
    *in_data.CAUSES,
    *in_steps.CAUSES,
    *in_settings.CAUSES,
    *in_models.CAUSES,
    *in_general.CAUSES,
)
