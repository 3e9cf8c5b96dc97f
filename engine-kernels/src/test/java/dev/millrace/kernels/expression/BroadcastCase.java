package dev.millrace.kernels.expression;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Sums over random dimensions, of inputs of any type and any strides. */
public final class BroadcastCase implements FamilyCase {
    private static final DataType[] FLOATS = {DataType.F32, DataType.F32, DataType.F16, DataType.BF16};
    private static final DataType[] INTS = {DataType.S32, DataType.U8, DataType.S8, DataType.U16, DataType.S16};

    @Override
    public String name() {
        return "elementwise over broadcast inputs";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        DataType[] types = random.nextBoolean() ? FLOATS : INTS;
        List<Long> extents = extents(random, small ? 60 : 3000);
        int count = random.nextInt(3);
        List<Operand> operands = new ArrayList<>();
        operands.add(Operand.random(types[random.nextInt(types.length)], extents, memory, random));
        Expr sum = Expr.input(0, operands.getFirst().type());
        for (int i = 1; i <= count; i++) {
            Operand operand = Operand.random(types[random.nextInt(types.length)], extents, memory, random);
            operands.add(operand);
            sum = sum.plus(Expr.input(i, operand.type()));
        }
        DataType outType = types[random.nextInt(types.length)];
        long elements = extents.stream().mapToLong(Long::longValue).reduce(1, (a, b) -> a * b);
        MemorySegment out = memory.bytes(elements * outType.bytes(), outType.bytes());
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        List<List<Long>> strides = operands.stream().map(Operand::strides).toList();
        NonTemporalStores streaming = random.nextBoolean() ? NonTemporalStores.USUAL : new NonTemporalStores(0);
        new BroadcastExpression(kernels, sum, outType, extents, strides, streaming)
                .run(operands.stream().map(Operand::memory).toList(), out, parallel);
        for (long i = 0; i < elements; i++) {
            double expected = 0;
            for (Operand operand : operands) {
                expected += operand.at(i, extents);
            }
            double rounded = TypedMemory.rounded(outType, expected);
            assertEquals(rounded, TypedMemory.get(outType, out, i), 0.0, "element " + i + " of " + extents + " " + sum);
        }
    }

    static List<Long> extents(Random random, int most) {
        List<Long> extents = new ArrayList<>();
        long elements = 1;
        int rank = random.nextInt(6);
        for (int i = 0; i < rank; i++) {
            long extent = 1 + random.nextInt(random.nextInt(3) == 0 ? 40 : 4);
            extent = elements * extent > most ? 1 : extent;
            elements *= extent;
            extents.add(random.nextInt(40) == 0 ? 0 : extent);
        }
        return extents;
    }

    /** An input: small whole numbers, so that sums are exact in every type but the narrowest. */
    private record Operand(DataType type, MemorySegment memory, Repeated lies) {
        static Operand random(DataType type, List<Long> extents, GuardedMemory memory, Random random) {
            Repeated lies = Repeated.random(extents, random);
            MemorySegment segment = memory.bytes(lies.count() * type.bytes(), type.bytes());
            for (long i = 0; i < lies.count(); i++) {
                TypedMemory.set(type, segment, i, random.nextInt(30));
            }
            return new Operand(type, segment, lies);
        }

        List<Long> strides() {
            return lies.strides();
        }

        double at(long index, List<Long> extents) {
            return TypedMemory.get(type, memory, lies.place(index, extents));
        }
    }
}
