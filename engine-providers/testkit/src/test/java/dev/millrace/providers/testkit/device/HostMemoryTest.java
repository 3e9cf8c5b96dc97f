package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.BYTES;
import static dev.millrace.providers.testkit.device.Floats.allocate;
import static dev.millrace.providers.testkit.device.Floats.download;
import static dev.millrace.providers.testkit.device.Floats.fill;
import static dev.millrace.providers.testkit.device.Floats.free;
import static dev.millrace.providers.testkit.device.Floats.get;
import static dev.millrace.providers.testkit.device.Floats.host;
import static dev.millrace.providers.testkit.device.Floats.upload;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that memory which simulated devices share with the host is guarded, though the host is not seen. */
class HostMemoryTest extends OneDevice {
    @ParameterizedTest
    @EnumSource
    void theHostSeesMemoryOfSomeKindsOnly(MemoryKind kind) {
        assertThat(buffer(kind).host().isPresent())
                .isEqualTo(kind == MemoryKind.PINNED || kind == MemoryKind.HOST_ACCESSIBLE);
    }

    @Test
    void aCopyReadsItsSourceWhenItCompletesAndTheHostMustNotChangeIt() {
        MemorySegment source = host(1);
        MemorySegment result = host(0);
        DeviceBuffer buffer = allocate(stream);
        upload(source, buffer, stream);
        Floats.set(source, 2);
        download(buffer, result, stream);
        settle();
        assertThat(get(result)).containsOnly(2);
        assertThat(machine.takeErrors())
                .singleElement()
                .asString()
                .startsWith("changed too early: upload of 16 bytes of the host to gpu #0");
    }

    @Test
    void aSourceThatAnEarlierCopyWritesMayChange() {
        MemorySegment staging = host(0);
        MemorySegment result = host(0);
        DeviceBuffer a = allocate(stream);
        DeviceBuffer b = allocate(stream);
        stream.submit(fill("fill", a, 3));
        download(a, staging, stream);
        upload(staging, b, stream);
        download(b, result, stream);
        settle();
        assertThat(get(result)).containsOnly(3);
        assertThat(machine.errors()).isEmpty();
    }

    @Test
    void theTargetOfADownloadIsNotANumberBeforeItCompletes() {
        MemorySegment result = host(1);
        DeviceBuffer buffer = allocate(stream);
        stream.submit(fill("fill", buffer, 1));
        download(buffer, result, stream);
        assertThat(get(result)).containsOnly(Float.NaN);
        settle();
        assertThat(get(result)).containsOnly(1);
    }

    @Test
    void memoryOfTheHostIsThereUntilACopyHasCompleted() {
        DeviceBuffer buffer = allocate(stream);
        try (Arena arena = Arena.ofConfined()) {
            upload(arena.allocate(BYTES), buffer, stream);
        }
        stream.signal();
        settle();
        assertThat(machine.takeErrors())
                .singleElement()
                .asString()
                .contains("uses memory of the host that was freed before it ended");
    }

    @Test
    void pinnedMemoryIsNotUsedAgainBeforeItsStreamHasReleasedIt() {
        DeviceBuffer staging = buffer(MemoryKind.PINNED);
        MemorySegment seen = staging.host().orElseThrow();
        Floats.set(seen, 1);
        DeviceBuffer buffer = allocate(stream);
        upload(seen, buffer, stream);
        free(staging, stream);
        Floats.set(buffer(MemoryKind.PINNED).host().orElseThrow(), 2);
        MemorySegment result = host(0);
        download(buffer, result, stream);
        settle();
        assertThat(get(result)).containsOnly(1);
        assertThat(machine.errors()).isEmpty();
    }

    @Test
    void anOperationInMemoryOfTheHostFindsWhatTheHostHasWritten() {
        DeviceBuffer buffer = buffer(MemoryKind.HOST_ACCESSIBLE);
        MemorySegment seen = buffer.host().orElseThrow();
        Floats.set(seen, 1);
        stream.submit(Floats.add("add", buffer, buffer, 1));
        settle();
        assertThat(get(seen)).containsOnly(2);
        assertThat(machine.errors()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void memoryThatWasGivenBackIsTheHostsAgain(boolean closes) {
        DeviceBuffer pinned = buffer(MemoryKind.PINNED);
        MemorySegment memory = pinned.host().orElseThrow();
        free(pinned, stream);
        settle();
        SimulatedStream elsewhere = machine.device("elsewhere").createStream(new StreamOptions("elsewhere"));
        DeviceBuffer target = allocate(elsewhere);
        if (closes) {
            stream.close();
            other.close();
            device.close();
        } else {
            device.allocator(MemoryKind.PINNED).shrink(0);
        }
        upload(memory, target, elsewhere);
        elsewhere.flush();
        settle(closes);
        assertThat(machine.errors()).isEmpty();
    }

    private void settle(boolean isClosed) {
        if (isClosed) {
            machine.settle();
        } else {
            settle();
        }
    }
}
