"""Names for identifiers. The shell makes them; the core only carries and compares them."""

from typing import NewType

RunId = NewType("RunId", str)
SourceId = NewType("SourceId", str)
DocumentId = NewType("DocumentId", str)
PassageId = NewType("PassageId", str)
ClaimId = NewType("ClaimId", str)
BranchId = NewType("BranchId", str)
ProposalId = NewType("ProposalId", str)
AccountName = NewType("AccountName", str)

MAIN = BranchId("main")
"""The line every run starts on. Branches open beside it and do not include it in their count."""
