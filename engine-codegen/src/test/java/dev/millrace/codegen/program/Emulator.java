package dev.millrace.codegen.program;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Emitted;
import dev.millrace.codegen.asm.Operand;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs the listing of an assembler: the instructions that the AVX-512 lowering emits, as the processor's manual defines
 * them. With the encodings checked against objdump, this stands in for a processor that is not at hand.
 */
final class Emulator {
    private record Instruction(String name, Operand[] operands) {}

    private final List<Emitted> listing;
    private final Instruction[] instructions;
    private final int[] targets;
    private final EmulatedScalars scalars;
    private final EmulatedVectors vectors;

    Emulator(Assembler assembler) {
        MemorySegment code = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, assembler.finish());
        listing = assembler.listing();
        instructions = new Instruction[listing.size()];
        targets = new int[listing.size()];
        scalars = new EmulatedScalars(code);
        vectors = new EmulatedVectors(scalars);
        Map<Integer, Integer> indexOf = new HashMap<>();
        for (int i = 0; i < listing.size(); i++) {
            indexOf.put(listing.get(i).start(), i);
        }
        for (int i = 0; i < listing.size(); i++) {
            Emitted emitted = listing.get(i);
            if (emitted.target() != null) {
                targets[i] = index(indexOf, emitted.target().position());
            } else {
                String name = Objects.requireNonNull(emitted.op()).mnemonic();
                instructions[i] = new Instruction(name, emitted.operands().toArray(new Operand[0]));
            }
        }
    }

    /** A label may stand before alignment: the next instruction is the one that follows. */
    private static int index(Map<Integer, Integer> indexOf, int position) {
        for (int at = position; ; at++) {
            Integer index = indexOf.get(at);
            if (index != null) {
                return index;
            }
        }
    }

    synchronized void call(long... arguments) {
        scalars.enter(arguments);
        int next = 0;
        while (true) {
            Instruction instruction = instructions[next];
            if (instruction == null) {
                Emitted jump = listing.get(next);
                boolean taken = jump.condition() == null || scalars.holds(jump.condition());
                next = taken ? targets[next] : next + 1;
            } else if (instruction.name.equals("ret")) {
                break;
            } else {
                execute(instruction.name, instruction.operands);
                next++;
            }
        }
        scalars.leave();
    }

    private void execute(String name, Operand[] operands) {
        if (name.startsWith("prefetch") || name.equals("vzeroupper") || name.equals("sfence")) {
            return;
        }
        if (name.startsWith("v") || name.startsWith("k")) {
            vectors.execute(name, operands);
        } else {
            scalars.execute(name, operands);
        }
    }
}
