"""Which template a site has."""

from __future__ import annotations

from typing import Final

from demo_sites.templates import fieldnotes, hafenblick, kumonoito, lavigie, qalam, tinkettle
from demo_sites.templates.theme import Theme

THEMES: Final[dict[str, Theme]] = {
    "tinkettle": tinkettle.THEME,
    "hafenblick": hafenblick.THEME,
    "qalam": qalam.THEME,
    "kumonoito": kumonoito.THEME,
    "lavigie": lavigie.THEME,
    "fieldnotes": fieldnotes.THEME,
}
