package dev.millrace.extensions;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The kernel that puts strings into buckets by a hash of their UTF-8 bytes: Austin Appleby's MurmurHash64A. */
final class HashKernels {
    /** The seed of TensorFlow's hash of strings. */
    private static final long SEED = 0xDECAFCAFFEL;

    private static final long FACTOR = 0xC6A4A7935BD1E995L;
    private static final int SHIFT = 47;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private HashKernels() {}

    static void buckets(DynamicContext context) {
        long[] count = context.tensor(1).longs();
        if (count.length != 1 || count[0] < 1) {
            throw EngineException.invalidArgument(
                    context.node().describe() + ": its second input is one number of buckets, 1 or more");
        }
        Tensor texts = context.tensor(0);
        String[] all = texts.strings();
        long[] made = new long[all.length];
        for (int i = 0; i < all.length; i++) {
            context.checkCancelled(i);
            made[i] = Long.remainderUnsigned(hash(all[i].getBytes(StandardCharsets.UTF_8)), count[0]);
        }
        context.output(0, Tensor.copyOf(made, texts.shape().toArray()));
    }

    private static long hash(byte[] bytes) {
        long hash = SEED ^ bytes.length * FACTOR;
        int whole = bytes.length / Long.BYTES * Long.BYTES;
        for (int i = 0; i < whole; i += Long.BYTES) {
            hash = (hash ^ mixed((long) LONGS.get(bytes, i) * FACTOR) * FACTOR) * FACTOR;
        }
        if (whole < bytes.length) {
            long rest = 0;
            for (int i = bytes.length - 1; i >= whole; i--) {
                rest = rest << Byte.SIZE | bytes[i] & 0xff;
            }
            hash = (hash ^ rest) * FACTOR;
        }
        return mixed(mixed(hash) * FACTOR);
    }

    private static long mixed(long hash) {
        return hash ^ hash >>> SHIFT;
    }
}
