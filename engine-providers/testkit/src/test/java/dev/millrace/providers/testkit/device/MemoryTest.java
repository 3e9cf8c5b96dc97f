package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.BYTES;
import static dev.millrace.providers.testkit.device.Floats.all;
import static dev.millrace.providers.testkit.device.Floats.allocate;
import static dev.millrace.providers.testkit.device.Floats.download;
import static dev.millrace.providers.testkit.device.Floats.fill;
import static dev.millrace.providers.testkit.device.Floats.free;
import static dev.millrace.providers.testkit.device.Floats.get;
import static dev.millrace.providers.testkit.device.Floats.host;
import static dev.millrace.providers.testkit.device.Floats.upload;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests that memory of simulated devices is as unkind as the contract allows. */
class MemoryTest extends OneDevice {
    @Test
    void freshAndFreedMemoryIsNotANumber() {
        MemorySegment first = host(0);
        MemorySegment second = host(0);
        DeviceBuffer fresh = allocate(stream);
        download(fresh, first, stream);
        stream.submit(fill("fill", fresh, 1));
        free(fresh, stream);
        DeviceBuffer reused = allocate(stream);
        download(reused, second, stream);
        settle();
        assertThat(get(first)).containsOnly(Float.NaN);
        assertThat(get(second)).containsOnly(Float.NaN);
        assertThat(device.allocator(MemoryKind.DEFAULT).statistics().extensions())
                .isOne();
        assertThat(machine.takeErrors()).hasSize(2).allMatch(error -> error.startsWith("undefined memory:"));
    }

    @Test
    void kernelsReadAtTheirStartOrAtTheirEndAsTheSeedSays() {
        Set<Float> results = new HashSet<>();
        for (int seed = 0; seed < 40; seed++) {
            var another = new SimulatedMachine(seed);
            SimulatedDevice gpu = another.device("gpu");
            SimulatedStream reader = gpu.createStream(new StreamOptions("reader"));
            SimulatedStream writer = gpu.createStream(new StreamOptions("writer"));
            DeviceBuffer shared = allocate(reader);
            DeviceBuffer target = allocate(reader);
            MemorySegment result = host(0);
            reader.submit(fill("first", shared, 1));
            writer.waitFor(reader, reader.signal());
            reader.submit(Floats.add("read", shared, target, 0));
            download(target, result, reader);
            writer.submit(fill("second", shared, 2));
            reader.flush();
            writer.flush();
            another.settle();
            results.add(get(result)[0]);
        }
        assertThat(results).containsExactlyInAnyOrder(1f, 2f, Float.NaN);
    }

    @Test
    void freedMemoryGoesToItsOwnStreamAtOnceAndToOthersLater() {
        DeviceBuffer first = allocate(stream);
        stream.submit(fill("fill", first, 1));
        free(first, stream);
        DeviceBuffer elsewhere = allocate(other);
        assertThat(device.allocator(MemoryKind.DEFAULT).statistics().extensions())
                .isEqualTo(2);
        DeviceBuffer same = allocate(stream);
        assertThat(device.allocator(MemoryKind.DEFAULT).statistics().extensions())
                .isEqualTo(2);
        free(same, stream);
        settle();
        allocate(other);
        assertThat(device.allocator(MemoryKind.DEFAULT).statistics().extensions())
                .isEqualTo(2);
        other.submit(fill("fill", elsewhere, 1));
        settle();
        assertThat(machine.errors()).isEmpty();
    }

    @Test
    void statisticsCountWhatIsUsedAndHeld() {
        DeviceBuffer a = allocate(stream);
        DeviceBuffer b = allocate(stream);
        free(a, stream);
        settle();
        var allocator = device.allocator(MemoryKind.DEFAULT);
        assertThat(allocator.shrink(0)).isEqualTo(BYTES);
        var statistics = allocator.statistics();
        assertThat(List.of(
                        statistics.allocations(),
                        statistics.usedBytes(),
                        statistics.heldBytes(),
                        statistics.peakBytes(),
                        statistics.extensions(),
                        statistics.shrinkages()))
                .containsExactly(2L, BYTES, BYTES, 2 * BYTES, 2L, 1L);
        free(b, stream);
    }

    @Test
    void aLimitHoldsUntilMemoryIsFreeAgain() {
        device.limit(MemoryKind.DEFAULT, BYTES);
        DeviceBuffer only = allocate(stream);
        assertThatThrownBy(() -> allocate(other))
                .isInstanceOf(EngineException.class)
                .hasCauseInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("gpu has no 16 bytes of DEFAULT memory: 16 are held");
        free(only, stream);
        settle();
        assertThat(device.allocator(MemoryKind.DEFAULT)
                        .allocate(BYTES / 2, other)
                        .byteSize())
                .isEqualTo(BYTES / 2);
    }

    @Test
    void aBufferIsFreedOnceAndByItsOwnAllocator() {
        DeviceBuffer buffer = allocate(stream);
        device.allocator(MemoryKind.PINNED).free(buffer, stream);
        free(buffer, stream);
        free(buffer, stream);
        assertThat(machine.takeErrors()).containsExactly("freed by a foreign allocator: gpu #0", "freed twice: gpu #0");
    }

    @Test
    void readOnlyMemoryIsWrittenOnceAndByAnUpload() {
        DeviceBuffer weights = buffer(MemoryKind.READ_ONLY);
        upload(host(1), weights, stream);
        settle();
        assertThat(machine.errors()).isEmpty();
        upload(host(2), weights, stream);
        settle();
        assertThat(machine.takeErrors()).singleElement().asString().startsWith("written twice:");
        assertThatThrownBy(() -> stream.submit(fill("fill", weights, 1)))
                .hasMessageContaining("which kernels only read");
        DeviceBuffer buffer = allocate(stream);
        assertThatThrownBy(() -> device.transfer().copy(List.of(new Copy.Transfer(all(buffer), all(weights))), stream))
                .hasMessageContaining("cannot copy from gpu to gpu READ_ONLY");
    }

    @Test
    void copiesAndWaitsBetweenDevicesAreOptions() {
        for (boolean allowed : new boolean[] {true, false}) {
            var another = new SimulatedMachine(
                    1,
                    MachineOptions.defaults().withCopiesBetweenDevices(allowed).withWaitsBetweenDevices(allowed));
            SimulatedDevice a = another.device("a");
            SimulatedDevice b = another.device("b");
            SimulatedStream onA = a.createStream(new StreamOptions("a"));
            assertThat(a.transfer().canCopy(a.place(), b.place())).isEqualTo(allowed);
            assertThat(a.transfer().canCopy(a.place(), a.place())).isTrue();
            assertThat(a.transfer().canCopy(MemoryPlace.HOST, a.place())).isTrue();
            assertThat(a.transfer().canCopy(a.place(), MemoryPlace.HOST)).isTrue();
            assertThat(a.transfer().canCopy(MemoryPlace.HOST, MemoryPlace.HOST)).isFalse();
            assertThat(a.transfer().canCopy(b.place(), new MemoryPlace(Device.CPU, MemoryKind.DEFAULT)))
                    .isFalse();
            assertThat(onA.canWaitFor(b.createStream(new StreamOptions("b")))).isEqualTo(allowed);
        }
    }

    @Test
    void aBatchIsDoneInOrder() {
        DeviceBuffer a = allocate(stream);
        DeviceBuffer b = allocate(stream);
        MemorySegment result = host(0);
        device.transfer()
                .copy(
                        List.of(
                                new Copy.Upload(host(5), all(a)),
                                new Copy.Transfer(all(a), all(b)),
                                new Copy.Download(all(b), result)),
                        stream);
        settle();
        assertThat(get(result)).containsOnly(5);
        assertThat(machine.errors()).isEmpty();
    }

    @Test
    void anOperationSeesNoMoreThanItsRangesAndWritesThemWhole() {
        DeviceBuffer buffer = allocate(stream);
        MemorySegment result = host(0);
        stream.submit(fill("fill", buffer, 1));
        stream.submit(new Operation(
                "half",
                List.of(),
                List.of(all(buffer)),
                0,
                (reads, writes) -> writes.getFirst().set(ValueLayout.JAVA_FLOAT, 0, 2)));
        stream.submit(new Operation(
                "quarter",
                List.of(),
                List.of(all(buffer).slice(4, 4)),
                0,
                (reads, writes) -> writes.getFirst()
                        .set(ValueLayout.JAVA_FLOAT, 0, writes.getFirst().byteSize())));
        download(buffer, result, stream);
        settle();
        assertThat(get(result)).containsExactly(2, 4, Float.NaN, Float.NaN);
    }

    @Test
    void anOperationThatReadsWhatItWritesHasMemoryForEach() {
        DeviceBuffer buffer = allocate(stream);
        MemorySegment result = host(0);
        stream.submit(fill("fill", buffer, 1));
        stream.submit(new Operation("part", List.of(all(buffer)), List.of(all(buffer)), 0, (reads, writes) -> {
            writes.getFirst().set(ValueLayout.JAVA_FLOAT, 0, 2);
            writes.getFirst().set(ValueLayout.JAVA_FLOAT, 4, reads.getFirst().get(ValueLayout.JAVA_FLOAT, 0));
        }));
        download(buffer, result, stream);
        settle();
        assertThat(get(result)).containsExactly(2, 1, Float.NaN, Float.NaN);
    }

    @Test
    void anOperationCannotWriteWhatItReads() {
        DeviceBuffer buffer = allocate(stream);
        MemorySegment result = host(0);
        stream.submit(fill("fill", buffer, 1));
        stream.submit(new Operation(
                "wrong",
                List.of(all(buffer)),
                List.of(),
                0,
                (reads, writes) -> reads.getFirst().fill((byte) 0)));
        download(buffer, result, stream);
        settle();
        assertThat(get(result)).containsOnly(1);
    }

    @Test
    void memoryThatWasFreedLastIsUsedFirst() {
        DeviceBuffer first = buffer(MemoryKind.PINNED);
        DeviceBuffer second = buffer(MemoryKind.PINNED);
        long last = second.host().orElseThrow().address();
        free(first, stream);
        free(second, stream);
        settle();
        assertThat(buffer(MemoryKind.PINNED).host().orElseThrow().address()).isEqualTo(last);
    }

    @Test
    void memoryThatItsStreamStillUsesIsNotGivenBack() {
        DeviceBuffer buffer = allocate(stream);
        stream.submit(fill("fill", buffer, 1));
        free(buffer, stream);
        assertThat(device.allocator(MemoryKind.DEFAULT).shrink(0)).isZero();
        settle();
        assertThat(device.allocator(MemoryKind.DEFAULT).shrink(0)).isEqualTo(BYTES);
    }

    @Test
    void freeMemoryThatIsTooSmallGivesWayToAllocations() {
        device.limit(MemoryKind.DEFAULT, 2 * BYTES);
        free(allocate(stream), stream);
        settle();
        DeviceBuffer larger = device.allocator(MemoryKind.DEFAULT).allocate(2 * BYTES, other);
        assertThat(larger.byteSize()).isEqualTo(2 * BYTES);
    }

    @Test
    void memoryOfAnotherDeviceIsRefused() {
        DeviceStream elsewhere = machine.device("other").createStream(new StreamOptions("elsewhere"));
        DeviceBuffer buffer = allocate(elsewhere);
        assertThatThrownBy(() -> stream.submit(fill("fill", buffer, 1))).hasMessageContaining("of another device");
        assertThatThrownBy(
                        () -> elsewhere.device().allocator(MemoryKind.DEFAULT).free(buffer, stream))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
