package dev.millrace.kernels.conv;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.FamilyCase;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import java.util.Random;

/** Images into blocks of channels and back again. */
public final class ReorderCase implements FamilyCase {
    @Override
    public String name() {
        return "reorder of images";
    }

    @Override
    public void runOne(KernelSet kernels, GuardedMemory memory, Random random, boolean small) {
        int lanes = kernels.target().lanes();
        int batch = 1 + random.nextInt(3);
        int channels = 1 + random.nextInt(3 * lanes);
        long pixels = 1 + random.nextInt(small ? 20 : random.nextInt(20) == 0 ? 5000 : 200);
        String message = batch + " images of " + channels + " channels of " + pixels + " pixels";
        MemorySegment plain = memory.random(batch * channels * pixels, random);
        MemorySegment blocked = memory.random(batch * BlockedImages.elements(lanes, channels, pixels), random);
        MemorySegment back = memory.random(batch * channels * pixels, random);
        Reorder reorder = new Reorder(kernels, batch, channels, pixels);
        Parallel parallel = random.nextInt(4) == 0 ? TestThreads.of(3) : Parallel.NONE;
        reorder.toBlocked(plain, blocked, parallel);
        reorder.toPlain(blocked, back, parallel);
        int padded = BlockedImages.blocks(lanes, channels) * lanes;
        for (int image = 0; image < batch; image++) {
            for (int channel = 0; channel < padded; channel++) {
                for (long pixel = 0; pixel < pixels; pixel++) {
                    long at = ConvReference.index(lanes, channels, pixels, image, channel, pixel);
                    float expected = channel < channels
                            ? plain.getAtIndex(ConvReference.FLOAT, (image * channels + channel) * pixels + pixel)
                            : 0;
                    if (blocked.getAtIndex(ConvReference.FLOAT, at) != expected) {
                        throw new AssertionError(message + ": channel " + channel + ", pixel " + pixel);
                    }
                }
            }
        }
        if (plain.mismatch(back) >= 0) {
            throw new AssertionError(message + ": did not come back as they were");
        }
    }
}
