"""What a run will take before it is started: ``of`` a plan gives a ``Forecast``."""

from evalcore.estimate.forecast import Forecast, of

__all__ = ["Forecast", "of"]
