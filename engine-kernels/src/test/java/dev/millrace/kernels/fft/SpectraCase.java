package dev.millrace.kernels.fft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.fft.Spectra.Frames;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Spectra of signals, against sums of products with sinusoids. */
public final class SpectraCase implements FamilyCase {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double OF_ONE = 1e-6;

    @Override
    public String name() {
        return "spectrum.frames";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int points = 64 << random.nextInt(small ? 2 : 4);
        var sinusoids = new Sinusoids(points);
        int frequencies = sinusoids.frequencies();
        int signals = random.nextInt(4);
        int count = 1 + random.nextInt(small ? 20 : 60);
        int hop = 1 + random.nextInt(points);
        int length = (count - 1) * hop + points + random.nextInt(5);
        MemorySegment in = memory.random((long) signals * length, random);
        MemorySegment window = memory.random(points, random);
        int sign = random.nextBoolean() ? 1 : -1;
        boolean sinesFirst = random.nextBoolean();
        float[][] rows = SinusoidRows.of(window.toArray(FLOAT), sign);
        MemorySegment packed = memory.bytes(sinusoids.packedBytes());
        MemorySegment cosines = MemorySegment.ofArray(rows[0]);
        MemorySegment sines = MemorySegment.ofArray(rows[1]);
        sinusoids.pack(sinesFirst ? sines : cosines, sinesFirst ? cosines : sines, packed);
        var order = sinesFirst ? Sinusoids.Order.SINES_FIRST : Sinusoids.Order.COSINES_FIRST;
        assertEquals(order, Sinusoids.order(packed));
        MemorySegment out = memory.floats(2L * signals * frequencies * count);
        var frames = new Frames(signals, length, count, hop);
        new Spectra(kernels, sinusoids).run(frames, in, packed, out, TestThreads.of(1 + random.nextInt(3)));
        for (int i = 0; signals > 0 && i < 200; i++) {
            int signal = random.nextInt(signals);
            int row = random.nextInt(2 * frequencies);
            int frame = random.nextInt(count);
            float[] weights = rows[row < frequencies == sinesFirst ? 1 : 0];
            double sum = 0;
            for (int k = 0; k < points; k++) {
                sum += (double) in.getAtIndex(FLOAT, (long) signal * length + frame * hop + k)
                        * weights[row % frequencies * points + k];
            }
            long at = ((long) signal * 2 * frequencies + row) * count + frame;
            String shape = signals + " x " + count + " of " + points + " by " + hop + ", row " + row;
            assertEquals(sum, out.getAtIndex(FLOAT, at), OF_ONE * points, shape);
        }
    }
}
