package dev.millrace.example.npu;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The weights on the NPU: equal ones of all models of the engine lie there once. */
final class NpuWeights {
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private final NpuDevice device;
    private final Map<String, Entry> byDigest = new HashMap<>();

    private static final class Entry {
        final DeviceBuffer buffer;
        int users;

        Entry(DeviceBuffer buffer) {
            this.buffer = buffer;
        }
    }

    NpuWeights(NpuDevice device) {
        this.device = device;
    }

    /** Weights that a kernel uses until it gives them back. */
    record Held(String digest, DeviceBuffer buffer) {
        MemorySegment memory() {
            return NpuMemory.of(new DeviceRange(buffer, 0, buffer.byteSize()));
        }
    }

    /** Uploads the constants of a program that do not lie on the NPU already. */
    List<Held> hold(List<NpuProgram.Constant> constants) {
        var held = new ArrayList<Held>();
        try {
            constants.forEach(constant -> held.add(hold(constant.data())));
            return held;
        } catch (RuntimeException e) {
            giveBack(held);
            throw e;
        }
    }

    private synchronized Held hold(MemorySegment data) {
        String digest = digest(data);
        @Nullable Entry known = byDigest.get(digest);
        if (known == null) {
            known = new Entry(upload(data));
            byDigest.put(digest, known);
        }
        known.users++;
        return new Held(digest, known.buffer);
    }

    void giveBack(List<Held> held) {
        held.forEach(this::giveBack);
    }

    private DeviceBuffer upload(MemorySegment data) {
        try (NpuStream stream = device.createStream(new StreamOptions("weights"))) {
            DeviceBuffer buffer = device.allocator(MemoryKind.DEFAULT).allocate(data.byteSize(), stream);
            var whole = new DeviceRange(buffer, 0, data.byteSize());
            try {
                device.transfer().copy(List.of(new Copy.Upload(data, whole)), stream);
                if (!stream.await(stream.signal(), LIMIT)) {
                    throw new DeviceFailure("the NPU does not take weights", false);
                }
                return buffer;
            } catch (DeviceFailure e) {
                device.allocator(MemoryKind.DEFAULT).free(buffer, stream);
                throw e;
            }
        }
    }

    private synchronized void giveBack(Held held) {
        Entry entry = byDigest.get(held.digest);
        if (entry != null && --entry.users == 0) {
            byDigest.remove(held.digest);
            try (NpuStream stream = device.createStream(new StreamOptions("weights"))) {
                device.allocator(MemoryKind.DEFAULT).free(entry.buffer, stream);
            }
        }
    }

    private static String digest(MemorySegment data) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(data.asByteBuffer());
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
