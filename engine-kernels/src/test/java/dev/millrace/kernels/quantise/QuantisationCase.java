package dev.millrace.kernels.quantise;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.Rehearsal;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Random tensors quantised, quantised again, dequantised, and quantised by their own range: equal to the bit. */
public final class QuantisationCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    @Override
    public String name() {
        return "quantise";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        new One(kernels, memory, random, small).run(random.nextInt(4));
    }

    private static final class One {
        private final KernelSet kernels;
        private final Quantisation quantisation;
        private final GuardedMemory memory;
        private final Random random;
        private final QuantisedType type;
        private final Scales scales;
        private final int elements;
        private final Parallel parallel;

        One(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
            this.kernels = kernels;
            quantisation = new Quantisation(kernels);
            this.memory = memory;
            this.random = random;
            type = QuantisedType.values()[random.nextInt(QuantisedType.values().length)];
            parallel = TestThreads.of(1 + random.nextInt(3));
            int outer = random.nextInt(4);
            int axis = 1 + random.nextInt(random.nextBoolean() ? 1 : 40);
            int inner = random.nextInt(3) == 0 ? 1 : random.nextInt(small ? 20 : random.nextInt(20) == 0 ? 40_000 : 90);
            boolean oddRows = (inner == 1 ? axis : inner) % 2 == 1;
            if (type.isHalfByte() && oddRows) {
                outer = 1;
                axis = 1;
            }
            elements = outer * axis * inner;
            scales = new Scales(outer, axis, inner, floats(axis), zeros(axis));
        }

        private MemorySegment floats(int count) {
            MemorySegment floats = memory.floats(count);
            for (int i = 0; i < count; i++) {
                floats.setAtIndex(FLOAT, i, (float) Math.exp(random.nextGaussian()));
            }
            return floats;
        }

        private MemorySegment zeros(int count) {
            MemorySegment zeros = memory.floats(count);
            for (int i = 0; i < count; i++) {
                zeros.setAtIndex(INT, i, random.nextInt(type.least(), type.most() + 1));
            }
            return zeros;
        }

        private MemorySegment values() {
            MemorySegment values = memory.floats(elements);
            float[] special = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -0f, Float.MIN_VALUE};
            double range = 0.6 * (type.most() - type.least());
            for (int i = 0; i < elements; i++) {
                float value = (float) (random.nextGaussian() * range);
                boolean isSpecial = random.nextInt(12) == 0;
                values.setAtIndex(FLOAT, i, isSpecial ? special[random.nextInt(special.length)] : value);
            }
            return values;
        }

        void run(int way) {
            switch (way) {
                case 0 -> quantise();
                case 1 -> requantise();
                case 2 -> dequantise();
                default -> quantiseDynamically();
            }
        }

        private int axisOf(int element) {
            return (int) (element / scales.inner() % scales.axis());
        }

        private float scale(int element) {
            return scales.scales().getAtIndex(FLOAT, axisOf(element));
        }

        private int zero(int element) {
            return scales.zeros().getAtIndex(INT, axisOf(element));
        }

        private int saturated(float scaled, int zero) {
            double rounded = Double.isNaN(scaled) ? type.least() : Math.rint(scaled) + zero;
            return (int) Math.clamp(rounded, type.least(), type.most());
        }

        private int element(MemorySegment data, int i) {
            int bits = switch (type.bits()) {
                case 16 -> data.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i);
                case 8 -> data.get(ValueLayout.JAVA_BYTE, i);
                default -> data.get(ValueLayout.JAVA_BYTE, i / 2) >> 4 * (i % 2);
            };
            int unused = 32 - type.bits();
            return type.least() < 0 ? bits << unused >> unused : bits << unused >>> unused;
        }

        private void quantise() {
            MemorySegment x = values();
            MemorySegment y = memory.randomBytes(type.bytes(elements), random);
            quantisation.quantise(x, scales, type, y, parallel);
            for (int i = 0; i < elements; i++) {
                same(saturated(x.getAtIndex(FLOAT, i) / scale(i), zero(i)), element(y, i), "quantised", i);
            }
            if (type.isHalfByte() && elements % 2 == 1) {
                same(0, y.get(ValueLayout.JAVA_BYTE, elements / 2) & 0xf0, "the half behind", elements);
            }
        }

        private void requantise() {
            MemorySegment x = memory.floats(elements);
            for (int i = 0; i < elements; i++) {
                x.setAtIndex(INT, i, random.nextInt() >> random.nextInt(32));
            }
            MemorySegment y = memory.randomBytes(type.bytes(elements), random);
            quantisation.requantise(x, scales, type, y, parallel);
            for (int i = 0; i < elements; i++) {
                same(saturated((float) x.getAtIndex(INT, i) * scale(i), zero(i)), element(y, i), "requantised", i);
            }
        }

        private void dequantise() {
            MemorySegment x = memory.randomBytes(type.bytes(elements), random);
            MemorySegment y = memory.random(elements, random);
            quantisation.dequantise(x, type, scales, y, parallel);
            for (int i = 0; i < elements; i++) {
                same((element(x, i) - zero(i)) * scale(i), y.getAtIndex(FLOAT, i), "dequantised", i);
            }
        }

        private void quantiseDynamically() {
            MemorySegment x = memory.random(elements, random);
            if (elements > 0 && random.nextBoolean()) {
                x.setAtIndex(FLOAT, random.nextInt(elements), (float) random.nextGaussian() * 5);
            }
            float least = 0;
            float most = 0;
            for (int i = 0; i < elements; i++) {
                least = Math.min(least, x.getAtIndex(FLOAT, i));
                most = Math.max(most, x.getAtIndex(FLOAT, i));
            }
            float step = least == most ? 1 : (most - least) / 255;
            float zero = (float) Math.rint(Math.clamp(-least / step, 0f, 255f));
            MemorySegment y = memory.bytes(elements);
            MemorySegment scaleOfY = memory.floats(1);
            MemorySegment zeroOfY = memory.floats(1);
            Runnable work = () -> quantisation.quantiseDynamically(x, elements, y, scaleOfY, zeroOfY, parallel);
            Rehearsal.run(kernels, random, work, x);
            same(step, scaleOfY.get(FLOAT, 0), "the scale", 0);
            same(zero, zeroOfY.get(INT, 0), "the zero point", 0);
            for (int i = 0; i < elements; i++) {
                double expected = Math.clamp(Math.rint(x.getAtIndex(FLOAT, i) / step) + zero, 0, 255);
                same((float) expected, y.get(ValueLayout.JAVA_BYTE, i) & 0xff, "dynamically quantised", i);
            }
        }

        private void same(float expected, float got, String what, int i) {
            if (Float.compare(expected, got) != 0) {
                throw new AssertionError("%s %d x %d x %d as %s on %d: %s at %d, not %s"
                        .formatted(
                                what,
                                scales.outer(),
                                scales.axis(),
                                scales.inner(),
                                type,
                                parallel.width(),
                                got,
                                i,
                                expected));
            }
        }
    }
}
