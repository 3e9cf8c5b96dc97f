package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.gemm.GemmSequence;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A task that computes some of the units in each step: the products of their gates, then the kernels over them. */
final class RecurrentTask {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final Memory memory;
    private final RecurrentDirection direction;
    private final RecurrentCell cell;
    private final RecurrentCall call;
    private final RecurrentSizes shape;
    private final RecurrentScratch layout;
    private final MemorySegment scratch;
    private final long arguments;
    private final long first;
    private final long end;
    private final GemmSequence[] products;
    private final long scratchAt;
    private final long yAt;

    /**
     * Creates the task of the units from {@code first} to before {@code end}.
     *
     * @param arguments the offset of the kernels' arguments in the scratch memory
     * @param products products of states, one sequence for each gate
     */
    RecurrentTask(
            Memory memory,
            RecurrentDirection direction,
            long arguments,
            long first,
            long end,
            GemmSequence[] products) {
        this.memory = memory;
        this.direction = direction;
        this.arguments = arguments;
        this.first = first;
        this.end = end;
        this.products = products;
        cell = direction.cell();
        call = direction.call();
        shape = call.shape();
        layout = direction.layout();
        scratch = direction.scratch();
        scratchAt = memory.pointer(scratch);
        yAt = memory.pointer(call.y());
        constants();
    }

    private void put(int argument, long value) {
        scratch.set(LONG, arguments + argument, value);
    }

    private void constants() {
        put(GateArguments.GROUP, 4L * shape.hidden());
        put(GateArguments.GATE_STRIDE, 4 * direction.columns());
        put(GateArguments.UNITS, end - first);
        scratch.set(FLOAT, arguments + GateArguments.CLIP, direction.clip());
        scratch.set(FLOAT, arguments + GateArguments.CLIP_BELOW, -direction.clip());
        put(GateArguments.SECOND_STRIDE, cell.apart() ? 4 * direction.columns() : 0);
        MemorySegment peepholes = call.peepholes();
        put(
                GateArguments.SECOND,
                4 * first
                        + (peepholes == null
                                ? scratchAt + layout.products()
                                : memory.pointer(peepholes) + 12L * direction.index() * shape.hidden()));
    }

    /** Computes one part of a step, for entries of the batch that have this step and for those that have not. */
    void run(int index, int step) {
        RecurrentCell.Part part = cell.parts().get(index);
        for (int gate = part.first(); gate < part.first() + part.count(); gate++) {
            products[gate].run(step, first, end);
        }
        boolean last = index == cell.parts().size() - 1;
        int entry = 0;
        while (entry < shape.batch()) {
            int next = entry + 1;
            boolean active = call.isActive(step, entry);
            while (next < shape.batch() && call.isActive(step, next) == active) {
                next++;
            }
            if (active) {
                compute(part, step, entry, next - entry);
            } else if (last) {
                skip(step, entry, next);
            }
            entry = next;
        }
    }

    /** The offset of the first unit of an entry among the states. */
    private long place(long entry) {
        return 4 * (entry * shape.hidden() + first);
    }

    private long placeInY(int step, long entry) {
        return ((long) step * shape.directions() + direction.index()) * direction.stateBytes() + place(entry);
    }

    private void compute(RecurrentCell.Part part, int step, int entry, int count) {
        long row = 4 * (direction.columns() * entry + first);
        long gates = layout.gates() + 4 * direction.columns() * shape.batch() * step;
        put(GateArguments.GATES, scratchAt + gates + row);
        put(GateArguments.ROWS, count);
        put(GateArguments.STATE, scratchAt + direction.stateBefore(step) + place(entry));
        put(GateArguments.NEXT, scratchAt + direction.stateAfter(step) + place(entry));
        put(GateArguments.OTHER, scratchAt + layout.other() + place(entry));
        put(GateArguments.OUT, yAt + placeInY(step, entry));
        if (cell.apart()) {
            put(GateArguments.SECOND, scratchAt + layout.products() + row);
        }
        MemorySegment block = scratch.asSlice(arguments, GateArguments.BYTES);
        part.kernel().call(memory, Recording.arguments(block, scratchAt + arguments), 0, 0, 0, 0, 0);
    }

    /** Copies states unchanged where a sequence does not have this step. */
    private void skip(int step, int firstEntry, int endEntry) {
        long bytes = 4 * (end - first);
        for (int entry = firstEntry; entry < endEntry; entry++) {
            long from = direction.stateBefore(step) + place(entry);
            long to = direction.stateAfter(step) + place(entry);
            Recording.copy(scratch.asSlice(from, bytes), scratch.asSlice(to, bytes));
            Recording.clear(call.y().asSlice(placeInY(step, entry), bytes));
        }
    }
}
