# SPDX-License-Identifier: Apache-2.0
# Copyright The trnsim authors
"""The recording under way: instructions in program order, what was assumed, what was ignored."""

from . import site as _site
from .errors import RecordError, UnsupportedError
from .policy import Policy

GENERATIONS = {"trn1": 2, "inf2": 2, "trn2": 3, "trn3": 4}

# Instructions that stay changeable: a result may still get another place for so long.
_WINDOW = 512


class Record:
    """One hardware instruction. `attrs` is JSON text that goes into its line as it is."""

    __slots__ = ("op", "engine", "dst", "operands", "attrs", "at", "region", "shape", "settled", "id", "after")

    def __init__(self, op, engine, dst, operands, attrs, at):
        self.op = op
        self.engine = engine
        self.dst = dst
        self.operands = operands  # list of (role, tensor)
        self.attrs = attrs
        self.at = at
        self.region = None  # box of the result that is written, when a mask leaves some of it out
        self.shape = None   # shape of the whole result then
        self.settled = False
        self.id = None
        self.after = ()     # ids of instructions that must complete first


class Dropped:
    """Producer of a result that a mask left nothing of."""

    op = "dropped"
    settled = False


DROPPED = Dropped()


class Stores:
    """Holds stores from SBUF back behind the next copies, as long as nothing touches what they read and write."""

    def __init__(self, writer, lag):
        self.writer = writer
        self.lag = lag
        self.copies = 0
        self.held = []  # (store, number of copies after which it goes)

    def instruction(self, record):
        views = [view for _, view in record.operands]
        if record.op == "dma_copy" and record.dst.storage.kind == "hbm" and views[0].storage.kind == "sbuf" \
                and not any(v.indirect for v in (record.dst, views[0])):
            self.held.append((record, self.copies + self.lag))
            return
        if self.held:
            self._release(record, views)
        self.writer.instruction(record)
        if record.op.startswith("dma"):
            self.copies += 1

    def _release(self, record, views):
        """Writes what must come before a record: all up to the last store that it depends on, then those that are due."""
        count = 0
        for i, (store, _) in enumerate(self.held):
            if self._ordered(store, record, views):
                count = i + 1
        copy = record.op.startswith("dma")
        while count or copy and self.held and self.held[0][1] <= self.copies:
            self.writer.instruction(self.held.pop(0)[0])
            self.copies += 1
            count = max(0, count - 1)

    @staticmethod
    def _ordered(store, record, views):
        """Whether a record must come after a store: it touches its tensor, writes its tile, or orders everything."""
        if record.dst is None:
            return True
        if record.dst.storage in (store.dst.storage, store.operands[0][1].storage):
            return True
        return any(v.storage is store.dst.storage for v in views)

    def flush(self):
        for store, _ in self.held:
            self.writer.instruction(store)
        self.held = []


class Recorder:
    """What the calls of a kernel write into."""

    def __init__(self, writer, policy=None, target="trn2"):
        if target not in GENERATIONS:
            raise ValueError(f"target '{target}'; allowed: {', '.join(GENERATIONS)}")
        self.writer = writer
        self.policy = policy or Policy()
        self.target = target
        self.generation = GENERATIONS[target]
        self.pending = []
        self.count = 0
        self.clipped = 0
        self.ignored = {}      # keyword of a call -> times
        self.approximated = {}  # assumption -> times
        self.automatic = False  # places given in the kernel do not count
        self.grid = ()
        self.program = ()
        self.shared = {}       # tensors that all instances of a grid share, by order of creation
        self.created = 0
        self.constants = {}    # tiles every kernel makes once: identity, ones
        self.arguments = {}    # host array -> tensor
        self.rotation = 0
        self.ring_bytes = {}        # engine -> bytes that each of its rings has had
        self.trips = {}        # place of a loop -> iterations so far
        self.ids = 0           # of instructions that others wait for
        self.loops = 0         # loops of the first generation under way
        self.repeating = 0     # those past their first iteration
        self.allocations = {}  # call stack -> allocations it made in this iteration
        self.addresses = {}    # (call stack, number) -> what the first iteration said
        writer.recorder = self
        self.out = Stores(writer, self.policy.store_lag) if self.policy.store_lag else writer

    def emit(self, op, dst, operands, attrs="", engine=None):
        record = Record(op, engine, dst, operands, attrs, _site.site())
        for _, view in operands:
            view.fresh = None
        pending = self.pending
        pending.append(record)
        self.count += 1
        if len(pending) >= 2 * _WINDOW:
            self._write(_WINDOW)
        return record

    def _write(self, n):
        for record in self.pending[:n]:
            record.settled = True
            self.out.instruction(record)
        del self.pending[:n]

    def flush(self):
        self._write(len(self.pending))
        if self.out is not self.writer:
            self.out.flush()

    def order(self, first, second):
        """`second` starts after `first` has completed."""
        if first.settled or second.settled:
            raise UnsupportedError(f"depends_on between instructions more than {_WINDOW} apart")
        if first.id is None:
            self.ids += 1
            first.id = self.ids
        second.after += (first.id,)

    def rotate(self, engines):
        self.rotation += 1
        return engines[self.rotation % len(engines)]

    def lightest_ring(self, engine, count, moved):
        """Number of the ring of an engine, of `count`, that has had the fewest bytes; `moved` more go there."""
        loads = self.ring_bytes.setdefault(engine, [0] * count)
        number = loads.index(min(loads))
        loads[number] += moved
        return number

    def another_trip(self, place):
        """Whether a loop at a place of the kernel, whose condition is known only at run time, goes round once more."""
        count = self.trips.get(place, 0) + 1
        self.trips[place] = count if count <= self.policy.trip_count else 0
        if count == 1:
            approximate("a loop with bounds known only at run time runs trip_count times")
        return count <= self.policy.trip_count

    def first_said(self, value):
        """`value` as the first iteration of the loops around the call had it: their bodies are traced once."""
        if not self.loops:
            return value
        stack = _site.stack()
        number = self.allocations[stack] = self.allocations.get(stack, 0) + 1
        return self.addresses.setdefault((stack, number), value) if self.repeating else self._say((stack, number), value)

    def _say(self, key, value):
        self.addresses[key] = value
        return value


now = None


def active():
    if now is None:
        raise RecordError("a call of nki outside of a recorded kernel")
    return now


def emit(op, dst, operands, attrs="", engine=None):
    return (now or active()).emit(op, dst, operands, attrs, engine)


def clipped():
    if now is not None:
        now.clipped += 1


def approximate(what):
    if now is not None:
        now.approximated[what] = now.approximated.get(what, 0) + 1


def ignore(keyword):
    if now is not None:
        now.ignored[keyword] = now.ignored.get(keyword, 0) + 1


def needs(generation, what):
    """Stops when the target is older than `generation`."""
    if now is not None and now.generation < generation:
        from .errors import LimitError
        raise LimitError(f"{what} needs NeuronCore-v{generation}; the target {now.target} has v{now.generation}")


def unsupported(what):
    raise UnsupportedError(f"{what} is not supported by the recorder")
