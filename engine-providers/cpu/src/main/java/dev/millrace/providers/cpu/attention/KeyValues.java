package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.MemorySegment;

/** The keys or the values of an attention: those of the past, where there are any, then those of this call. */
record KeyValues(int input, HeadLayout now, int pastInput, int pastSteps, ElementType type) {

    static KeyValues of(BindContext context, int input, int pastInput, long heads) {
        HeadLayout now = HeadLayout.of(context.inputShape(input), heads);
        int past = context.hasInput(pastInput)
                ? Extents.toInt(
                        "steps of the past", context.inputShape(pastInput).dim(2))
                : 0;
        return new KeyValues(input, now, pastInput, past, context.inputType(input));
    }

    int steps() {
        return pastSteps + now.steps();
    }

    void readRow(LaunchContext launch, long b, long head, int step, float[] to, int at) {
        if (step < pastSteps) {
            long first = ((b * now.heads() + head) * pastSteps + step) * now.size();
            Elements.read(type, launch.input(pastInput), first, to, at, now.size());
        } else {
            long first = now.row(b, head, step - pastSteps);
            Elements.read(type, launch.input(input), first, to, at, now.size());
        }
    }

    /** Reads all rows of a head as columns, filled up with zero rows to {@code padded} rows. */
    void readTransposed(LaunchContext launch, long b, long head, float[][] to, int padded, Scratch scratch, int slot) {
        float[] line = scratch.floats(slot, now.size());
        for (int step = 0; step < steps(); step++) {
            readRow(launch, b, head, step, line, 0);
            for (int i = 0; i < now.size(); i++) {
                to[i][step] = line[i];
            }
        }
        for (int i = now.size(); i < padded; i++) {
            java.util.Arrays.fill(to[i], 0, steps(), 0f);
        }
    }

    /** Writes past and present, one behind the other, as {@code [batch, heads, steps, size]}. */
    void writePresent(LaunchContext launch, int output) {
        MemorySegment to = launch.output(output);
        float[] line = launch.scratch().floats(0, now.size());
        long at = 0;
        for (int b = 0; b < now.batch(); b++) {
            for (int head = 0; head < now.heads(); head++) {
                for (int step = 0; step < steps(); step++, at += now.size()) {
                    readRow(launch, b, head, step, line, 0);
                    Elements.write(type, to, at, line, 0, now.size());
                }
            }
        }
    }
}
