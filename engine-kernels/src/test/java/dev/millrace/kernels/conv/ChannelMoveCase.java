package dev.millrace.kernels.conv;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;

/** Channels of images in blocks, moved to channels of others. */
public final class ChannelMoveCase implements FamilyCase {
    @Override
    public String name() {
        return "moves of channels";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int lanes = kernels.target().lanes();
        int batch = 1 + random.nextInt(3);
        int from = 1 + random.nextInt(3 * lanes);
        int to = 1 + random.nextInt(3 * lanes);
        long pixels = 1 + random.nextInt(small ? 20 : random.nextInt(20) == 0 ? 5000 : 200);
        int first = random.nextInt(to);
        int[] order = order(random, from, 1 + random.nextInt(to - first));
        String message = batch + " images of " + pixels + " pixels, channels " + Arrays.toString(order) + " of " + from
                + " to " + first + " of " + to;
        long outElements = batch * BlockedImages.elements(lanes, to, pixels);
        MemorySegment in = memory.random(batch * BlockedImages.elements(lanes, from, pixels), random);
        MemorySegment before = memory.random(outElements, random);
        MemorySegment out = memory.random(outElements, random);
        out.copyFrom(before);
        var move = new ChannelMove(kernels, batch, pixels, from, new ChannelMove.Target(to, first), order);
        boolean reads = Arrays.stream(order).anyMatch(channel -> channel != ChannelMove.ZERO);
        move.run(reads ? in : null, out, random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE);
        boolean last = first + order.length == to;
        int padded = BlockedImages.blocks(lanes, to) * lanes;
        for (int image = 0; image < batch; image++) {
            for (int channel = 0; channel < padded; channel++) {
                int moved = channel - first;
                for (long pixel = 0; pixel < pixels; pixel++) {
                    long at = ConvReference.index(lanes, to, pixels, image, channel, pixel);
                    float expected;
                    if (moved < 0 || moved >= order.length && !last) {
                        expected = before.getAtIndex(ConvReference.FLOAT, at);
                    } else if (moved >= order.length || order[moved] == ChannelMove.ZERO) {
                        expected = 0;
                    } else {
                        expected = in.getAtIndex(
                                ConvReference.FLOAT,
                                ConvReference.index(lanes, from, pixels, image, order[moved], pixel));
                    }
                    if (out.getAtIndex(ConvReference.FLOAT, at) != expected) {
                        throw new AssertionError(message + ": channel " + channel + ", pixel " + pixel);
                    }
                }
            }
        }
    }

    /** Any channels, or some side by side, or none at all. */
    private static int[] order(Random random, int channels, int count) {
        int[] order = new int[count];
        int start = random.nextInt(channels);
        int way = random.nextInt(4);
        Arrays.setAll(order, i -> switch (way) {
            case 0 -> start + i < channels ? start + i : ChannelMove.ZERO;
            case 1 -> random.nextInt(5) == 0 ? ChannelMove.ZERO : random.nextInt(channels);
            case 2 -> random.nextInt(channels);
            default -> random.nextInt(8) == 0 ? random.nextInt(channels) : ChannelMove.ZERO;
        });
        return order;
    }
}
