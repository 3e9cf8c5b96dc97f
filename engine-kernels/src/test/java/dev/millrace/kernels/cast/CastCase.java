package dev.millrace.kernels.cast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** All pairs of types, each number as Java's own conversions make it. */
public final class CastCase implements FamilyCase {
    private static final NumberType[] TYPES = NumberType.values();

    @Override
    public String name() {
        return "convert";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        NumberType from = TYPES[random.nextInt(TYPES.length)];
        NumberType to = TYPES[random.nextInt(TYPES.length)];
        int count = random.nextInt(!small && random.nextInt(20) == 0 ? 40_000 : 90);
        MemorySegment source = memory.bytes(from.bytes(count));
        MemorySegment target = memory.bytes(to.bytes(count));
        for (int i = 0; i < count; i++) {
            Numbers.put(from, source, i, Numbers.random(from, to, random));
        }
        Parallel parallel = random.nextInt(3) == 0 ? TestThreads.of(3) : Parallel.NONE;
        NonTemporalStores streaming = random.nextBoolean() ? NonTemporalStores.USUAL : new NonTemporalStores(0);
        new Cast(kernels, from, to, streaming).run(source, target, count, parallel);
        for (int i = 0; i < count; i++) {
            Number number = Numbers.get(from, source, i);
            Number expected = Numbers.cast(number, to);
            int at = i;
            assertEquals(
                    expected,
                    Numbers.get(to, target, i),
                    () -> number + " from " + from + " to " + to + ", element " + at + " of " + count);
        }
    }
}
