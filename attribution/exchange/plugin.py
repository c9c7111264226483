"""What other tools say, and what we give them: what the core asks of this plug-in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from attribution.hooks import OfCounts, OfLine, OfUndeclared, Plugin, Section, Subject
from collector.hooks import Format, TableSettings

if TYPE_CHECKING:
    from collector.storage.store import Store


class Exchange(Plugin):
    tables: ClassVar[TableSettings] = {
        table: {"hidden": True}
        for table in ("claim_authors", "claim_records", "claim_record_checks")
    }

    def formats(self) -> Iterable[Format]:
        """The producers whose claims are read."""
        from attribution.exchange.producers import producers

        for each in producers():
            notes = getattr(each, "NOTES", ())
            yield Format(each.NAME, each.LABEL, each.FOUND.replace("`", ""), notes)

    def sections(self, store: Store, subject: Subject) -> Iterable[Section]:
        if not isinstance(subject, OfLine | OfCounts | OfUndeclared):
            return ()
        from attribution.exchange.sections import section

        return (section(store, subject),)


PLUGIN = Exchange()
