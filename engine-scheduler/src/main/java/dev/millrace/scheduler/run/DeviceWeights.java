package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryPlace;
import java.lang.foreign.MemorySegment;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The constants that lie on devices. Equal contents are uploaded to a place once, straight from the memory that they lie
 * in, and are shared by all plans that hold them.
 */
public final class DeviceWeights {
    private static final int CHUNK = 1 << 20;
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private final DeviceStreams streams;
    private final DeviceArenas memory;
    private final Map<Key, Entry> entries = new HashMap<>();

    DeviceWeights(DeviceStreams streams, DeviceArenas memory) {
        this.streams = streams;
        this.memory = memory;
    }

    private record Key(MemoryPlace place, String digest) {}

    private static final class Entry {
        final DeviceRange range;
        int holders;

        Entry(DeviceRange range) {
            this.range = range;
        }
    }

    /** A constant that is to lie at a place. */
    record Wanted(MemoryPlace place, Tensor content) {}

    /** The constants of one plan, which gives them back when it is closed. */
    final class Held implements AutoCloseable {
        private final Map<Integer, DeviceRange> ranges = new LinkedHashMap<>();
        private final List<Key> keys = new ArrayList<>();

        /** The ranges of the constants, by their slots. */
        Map<Integer, DeviceRange> ranges() {
            return ranges;
        }

        @Override
        public void close() {
            release(keys);
            keys.clear();
            ranges.clear();
        }
    }

    /**
     * Holds constants, and uploads those that are not there yet. Returns when they are there.
     *
     * @param wanted the constants by their slots
     */
    synchronized Held hold(Map<Integer, Wanted> wanted) {
        var held = new Held();
        var uploads = new LinkedHashMap<Device, List<Copy>>();
        var devices = wanted.values().stream()
                .map(each -> each.place.device())
                .distinct()
                .toList();
        List<DeviceStream> taken = streams.takeBeyondLimit(devices);
        try {
            wanted.forEach((slot, constant) -> held.ranges.put(slot, range(constant, held, uploads)));
            uploads.forEach((device, copies) -> upload(copies, streamOf(device, taken)));
        } catch (DeviceFailure failed) {
            held.close();
            throw new EngineException(Status.EP_FAIL, "weights cannot be uploaded: " + failed.getMessage(), failed);
        } catch (RuntimeException | Error thrown) {
            held.close();
            throw thrown;
        } finally {
            streams.give(taken);
        }
        return held;
    }

    private static DeviceStream streamOf(Device device, List<DeviceStream> taken) {
        for (DeviceStream stream : taken) {
            if (stream.device() == device) {
                return stream;
            }
        }
        throw new IllegalStateException("no stream of " + device.info().name());
    }

    private DeviceRange range(Wanted constant, Held held, Map<Device, List<Copy>> uploads) {
        MemoryPlace place = constant.place;
        MemorySegment content = constant.content.segment();
        var key = new Key(place, digest(content));
        Entry entry = entries.get(key);
        if (entry == null) {
            entry = new Entry(memory.allocate(place, content.byteSize()));
            entries.put(key, entry);
            if (content.byteSize() > 0) {
                uploads.computeIfAbsent(place.device(), each -> new ArrayList<>())
                        .add(new Copy.Upload(content, entry.range));
            }
        }
        entry.holders++;
        held.keys.add(key);
        return entry.range;
    }

    private static void upload(List<Copy> copies, DeviceStream stream) {
        stream.device().transfer().copy(copies, stream);
        long time = stream.signal();
        stream.flush();
        if (!stream.await(time, LIMIT)) {
            throw new DeviceFailure(
                    stream.device().info().name() + " has not taken weights within " + LIMIT.toMinutes() + " minutes",
                    false);
        }
    }

    private static String digest(MemorySegment content) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (long at = 0; at < content.byteSize(); at += CHUNK) {
                digest.update(content.asSlice(at, Math.min(CHUNK, content.byteSize() - at))
                        .asByteBuffer());
            }
            return content.byteSize() + ":" + HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private synchronized void release(List<Key> keys) {
        for (Key key : keys) {
            Entry entry = entries.get(key);
            if (entry != null && --entry.holders == 0) {
                entries.remove(key);
                memory.free(entry.range);
            }
        }
    }

    /** The bytes of constants on devices. */
    public synchronized long bytes() {
        return entries.values().stream().mapToLong(entry -> entry.range.bytes()).sum();
    }
}
