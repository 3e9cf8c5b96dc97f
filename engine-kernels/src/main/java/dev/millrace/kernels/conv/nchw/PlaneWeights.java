package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.program.Target;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * The packed layout of weights: the output channels of a group in blocks of nearly equal size; for each block the
 * biases, then tap by tap the weights of its channels.
 */
public final class PlaneWeights {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    private final PlaneShape shape;
    private final int blocks;

    /** The order of the unpacked weights: the index of the weight of an output channel for a tap. */
    public interface Index {
        long of(int outChannel, int tap);
    }

    public PlaneWeights(PlaneShape shape) {
        this.shape = shape;
        blocks = Math.ceilDiv(shape.outChannels(), PlaneTile.MAX_CHANNELS);
    }

    /** The number of blocks in a group. */
    int blocks() {
        return blocks;
    }

    /** The first channel of a block in its group; the end of the last block for {@code block == blocks()}. */
    int first(int block) {
        return (int) ((long) shape.outChannels() * block / blocks);
    }

    /** The offset of the block of a group with the given first channel. */
    long start(int group, int channel) {
        return (long) Float.BYTES * ((long) group * shape.outChannels() + channel) * (1 + shape.weights());
    }

    /** The offset of the weights of a tap in a block of {@code channels} channels. */
    static long ofTap(int tap, int channels) {
        return (long) Float.BYTES * channels * (1 + tap);
    }

    public long bytes() {
        return start(shape.groups(), 0);
    }

    /** Returns the name of the layout. */
    public String name(Target target) {
        return "plane f32 of " + shape.groups() + " times " + shape.outChannels() + " x " + shape.weights() + " for "
                + target.name();
    }

    /** Packs weights, with the bias of each output channel if there is one. */
    public void pack(MemorySegment weights, Index index, @Nullable MemorySegment bias, MemorySegment packed) {
        for (int group = 0; group < shape.groups(); group++) {
            for (int block = 0; block < blocks; block++) {
                int first = first(block);
                int channels = first(block + 1) - first;
                for (int i = 0; i < channels; i++) {
                    int channel = group * shape.outChannels() + first + i;
                    long at = start(group, first) + (long) Float.BYTES * i;
                    packed.set(FLOAT, at, bias == null ? 0 : bias.getAtIndex(FLOAT, channel));
                    for (int tap = 0; tap < shape.weights(); tap++) {
                        packed.set(FLOAT, at + ofTap(tap, channels), weights.getAtIndex(FLOAT, index.of(channel, tap)));
                    }
                }
            }
        }
    }
}
