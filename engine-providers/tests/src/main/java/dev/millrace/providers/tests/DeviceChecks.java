package dev.millrace.providers.tests;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The promises of a device that works on its own: checks that give work to its streams without a session. */
final class DeviceChecks {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int BYTES = 1 << 16;
    private static final int ROUNDS = 20;

    private DeviceChecks() {}

    /** Copies by way of two streams, of which the second waits for the first, again and again in the same memory. */
    static void order(Device device) {
        try (DeviceStream up = device.createStream(new StreamOptions("up"));
                DeviceStream down = device.createStream(new StreamOptions("down"));
                Arena arena = Arena.ofShared()) {
            assertTrue(down.canWaitFor(up), "streams of one device wait for each other");
            DeviceBuffer buffer = device.allocator(MemoryKind.DEFAULT).allocate(BYTES, up);
            var range = new DeviceRange(buffer, 0, BYTES);
            var sources = new ArrayList<MemorySegment>();
            var targets = new ArrayList<MemorySegment>();
            for (int round = 0; round < ROUNDS; round++) {
                MemorySegment from = arena.allocate(BYTES).fill((byte) (round + 1));
                MemorySegment to = arena.allocate(BYTES);
                sources.add(from);
                targets.add(to);
                device.transfer().copy(List.of(new Copy.Upload(from, range)), up);
                down.waitFor(up, up.signal());
                up.flush();
                device.transfer().copy(List.of(new Copy.Download(range, to)), down);
                up.waitFor(down, down.signal());
                down.flush();
            }
            assertTrue(down.await(down.signal(), LIMIT), "the copies end in time");
            for (int round = 0; round < ROUNDS; round++) {
                assertArrayEquals(bytes(sources.get(round)), bytes(targets.get(round)), "copy " + round);
            }
            device.allocator(MemoryKind.DEFAULT).free(buffer, up);
        }
    }

    private static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    /** Listens to the ends of several copies of one stream. */
    static void notifications(Device device) {
        var told = new CopyOnWriteArrayList<Integer>();
        try (DeviceStream stream = device.createStream(new StreamOptions("told"));
                Arena arena = Arena.ofShared()) {
            DeviceBuffer buffer = device.allocator(MemoryKind.DEFAULT).allocate(BYTES, stream);
            var range = new DeviceRange(buffer, 0, BYTES);
            MemorySegment from = arena.allocate(BYTES);
            long last = 0;
            for (int round = 0; round < ROUNDS; round++) {
                int number = round;
                device.transfer().copy(List.of(new Copy.Upload(from, range)), stream);
                long time = stream.signal();
                assertTrue(time > last, "times grow");
                stream.whenCompleted(time, failure -> told.add(failure == null ? number : -1));
                last = time;
            }
            stream.flush();
            assertTrue(stream.await(last, LIMIT), "the copies end in time");
            assertTrue(stream.completed() >= last, "a time that was waited for is completed");
            stream.whenCompleted(last, failure -> told.add(ROUNDS));
            device.allocator(MemoryKind.DEFAULT).free(buffer, stream);
            long end = System.nanoTime() + LIMIT.toNanos();
            while (told.size() <= ROUNDS && System.nanoTime() < end) {
                assertTrue(stream.await(stream.signal(), LIMIT), "the stream goes on");
            }
        }
        var expected = new ArrayList<Integer>();
        for (int round = 0; round <= ROUNDS; round++) {
            expected.add(round);
        }
        assertEquals(expected, told.stream().sorted().toList(), "each completion is told once, without a failure");
    }
}
