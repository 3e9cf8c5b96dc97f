package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** The queries, keys or values of an attention. */
interface HeadSource {
    /** How the rows of this call lie. */
    HeadLayout now();

    int steps();

    default int batch() {
        return now().batch();
    }

    default int heads() {
        return now().heads();
    }

    /** Elements of a row. */
    default int size() {
        return now().size();
    }

    void readRow(LaunchContext launch, long b, long head, int step, float[] to, int at);

    /** Reads all rows of a head as columns, filled up with zero rows to {@code padded} rows. */
    default void readTransposed(
            LaunchContext launch, long b, long head, float[][] to, int padded, Scratch scratch, int slot) {
        float[] line = scratch.floats(slot, size());
        for (int step = 0; step < steps(); step++) {
            readRow(launch, b, head, step, line, 0);
            for (int i = 0; i < size(); i++) {
                to[i][step] = line[i];
            }
        }
        for (int i = size(); i < padded; i++) {
            Arrays.fill(to[i], 0, steps(), 0f);
        }
    }

    /** Writes all rows as {@code [batch, heads, steps, size]}. */
    default void write(LaunchContext launch, ElementType type, int output) {
        MemorySegment to = launch.output(output);
        float[] line = launch.scratch().floats(0, size());
        long at = 0;
        for (int b = 0; b < batch(); b++) {
            for (int head = 0; head < heads(); head++) {
                for (int step = 0; step < steps(); step++, at += size()) {
                    readRow(launch, b, head, step, line, 0);
                    Elements.write(type, to, at, line, 0, size());
                }
            }
        }
    }
}
