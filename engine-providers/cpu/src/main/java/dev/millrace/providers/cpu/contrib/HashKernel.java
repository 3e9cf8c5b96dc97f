package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/** MurmurHash3: 32 bits for the bytes of each number, or of each text in UTF-8. */
record HashKernel(Node node) implements ShapedKernel {
    private static final int FIRST = 0xcc9e2d51;
    private static final int SECOND = 0x1b873593;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        ElementType to = context.outputType(0);
        int seed = (int) node.attributes().integer("seed", 0);
        long count = context.inputShape(0).elements();
        if (type == ElementType.STRING) {
            return launch -> {
                String[] texts = launch.inputStrings(0);
                for (int i = 0; i < texts.length; i++) {
                    launch.checkCancelled(i);
                    byte[] bytes = texts[i].getBytes(StandardCharsets.UTF_8);
                    Elements.setLong(
                            to, launch.output(0), i, hash(MemorySegment.ofArray(bytes), 0, bytes.length, seed));
                }
            };
        }
        int width = type.bits() / 8;
        return launch -> launch.parallelFor(count, 4096, (run, from, end, scratch) -> {
            for (long i = from; i < end; i++) {
                Elements.setLong(to, run.output(0), i, hash(run.input(0), i * width, width, seed));
            }
        });
    }

    private static int hash(MemorySegment data, long start, int length, int seed) {
        int hash = seed;
        int whole = length / 4 * 4;
        for (int i = 0; i < whole; i += 4) {
            int block = 0;
            for (int k = 3; k >= 0; k--) {
                block = (block << 8) | (data.get(ValueLayout.JAVA_BYTE, start + i + k) & 0xff);
            }
            hash = Integer.rotateLeft(hash ^ scrambled(block), 13) * 5 + 0xe6546b64;
        }
        int rest = 0;
        for (int i = length - 1; i >= whole; i--) {
            rest = (rest << 8) | (data.get(ValueLayout.JAVA_BYTE, start + i) & 0xff);
        }
        return spread(hash ^ scrambled(rest) ^ length);
    }

    private static int scrambled(int block) {
        return Integer.rotateLeft(block * FIRST, 15) * SECOND;
    }

    /** Lets each bit bear on all others. */
    private static int spread(int hash) {
        int a = (hash ^ (hash >>> 16)) * 0x85ebca6b;
        int b = (a ^ (a >>> 13)) * 0xc2b2ae35;
        return b ^ (b >>> 16);
    }
}
