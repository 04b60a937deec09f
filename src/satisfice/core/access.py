"""Who asks, what may be read, and what may be done with it. Text never widens any of this."""

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum

LOCAL_TENANT = "local"


class Use(StrEnum):
    """What a reader may do with a passage."""

    READ = "read"
    QUOTE = "quote"
    CACHE = "cache"


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller on whose behalf everything is read. `attributes` (role, plan, region ...) may settle scope, never access."""

    name: str = "anonymous"
    tenant: str = LOCAL_TENANT
    tags: frozenset[str] = frozenset()
    attributes: tuple[tuple[str, str], ...] = ()

    def fingerprint(self) -> str:
        """Equal for two callers that may read exactly the same passages: the tenant and the sorted tags, hashed."""
        material = "\x1f".join((self.tenant, *sorted(self.tags)))
        return hashlib.sha256(material.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Permission:
    """Who may read a passage: its tenant must match, and one tag is enough. No tags: open to the whole tenant."""

    tenant: str = LOCAL_TENANT
    tags: frozenset[str] = frozenset()
    uses: frozenset[Use] = field(default=frozenset(Use))


OPEN = Permission()
"""Open to everyone of the single-user tenant."""


def may_read(principal: Principal, permission: Permission) -> bool:
    """The one access rule. Every search, look-up, cache hit, packing and report goes through it."""
    if principal.tenant != permission.tenant or Use.READ not in permission.uses:
        return False
    return not permission.tags or not permission.tags.isdisjoint(principal.tags)


def may_use(principal: Principal, permission: Permission, use: Use) -> bool:
    """Whether the caller may read the passage and also put it to this use."""
    return use in permission.uses and may_read(principal, permission)
