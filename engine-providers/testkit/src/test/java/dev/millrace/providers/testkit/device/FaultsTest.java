package dev.millrace.providers.testkit.device;

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
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.StreamOptions;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that each fault happens where it is planned, and is told as the contract says. */
class FaultsTest extends OneDevice {
    private final List<String> told = new ArrayList<>();
    private DeviceBuffer buffer;

    @BeforeEach
    void allocateBuffer() {
        buffer = allocate(stream);
    }

    private void tell(SimulatedStream of, String name) {
        of.whenCompleted(of.signal(), failure -> told.add(failure == null ? name : name + ": " + failure.getMessage()));
    }

    @Test
    void aRefusedOperationThrowsAndLeavesTheStreamAsItWas() {
        device.faults().at(Fault.REFUSED, 1);
        stream.submit(fill("first", buffer, 1));
        assertThatThrownBy(() -> stream.submit(fill("second", buffer, 2)))
                .isInstanceOf(DeviceFailure.class)
                .hasMessage("gpu/0 refuses second");
        tell(stream, "end");
        settle();
        assertThat(told).containsExactly("end");
        assertThat(machine.schedule()).hasSize(1);
    }

    @Test
    void anErrorIsToldWithEachTimeBehindItUntilTheRunEnds() {
        MemorySegment result = host(0);
        device.faults().at(Fault.ERROR, 1);
        stream.submit(fill("first", buffer, 1));
        tell(stream, "before");
        stream.submit(fill("second", buffer, 2));
        tell(stream, "behind");
        download(buffer, result, stream);
        tell(stream, "end");
        settle();
        assertThat(told)
                .containsExactlyInAnyOrder(
                        "before", "behind: second failed on gpu/0: ERROR", "end: second failed on gpu/0: ERROR");
        assertThat(get(result)).containsOnly(Float.NaN);
        assertThatThrownBy(() -> stream.await(stream.signal(), Duration.ofSeconds(1)))
                .isInstanceOf(DeviceFailure.class);
        stream.onRunEnd();
        assertThat(stream.await(stream.signal(), Duration.ofSeconds(1))).isTrue();
        assertThat(device.failure()).isEmpty();
    }

    @Test
    void anExceptionOfABodyIsAnError() {
        stream.submit(new Operation("broken", List.of(), List.of(), 0, (reads, writes) -> {
            throw new IllegalStateException("planted");
        }));
        tell(stream, "end");
        settle();
        assertThat(told).singleElement().asString().contains("broken failed", "planted");
    }

    @Test
    void aRunDoesNotEndBeforeItsWork() {
        stream.submit(fill("fill", buffer, 1));
        stream.onRunEnd();
        assertThat(machine.takeErrors())
                .singleElement()
                .asString()
                .startsWith("gpu/0: its run has ended before its work");
    }

    @Test
    void aFailurePassesToAStreamThatWaitsOrDoesNotAsTheSeedSays() {
        Set<Boolean> passes = new HashSet<>();
        for (int seed = 0; seed < 20; seed++) {
            var another = new SimulatedMachine(seed);
            SimulatedDevice gpu = another.device("gpu");
            SimulatedStream one = gpu.createStream(new StreamOptions("one"));
            SimulatedStream two = gpu.createStream(new StreamOptions("two"));
            gpu.faults().at(Fault.ERROR, 0);
            one.submit(fill("fill", allocate(one), 1));
            two.waitFor(one, one.signal());
            two.whenCompleted(two.signal(), failure -> passes.add(failure != null));
            one.flush();
            two.flush();
            another.settle();
        }
        assertThat(passes).hasSize(2);
    }

    @Test
    void aLateErrorIsToldWhenLaterWorkHasSucceeded() {
        device.faults().at(Fault.LATE_ERROR, 0);
        stream.submit(fill("first", buffer, 1));
        tell(stream, "middle");
        stream.submit(fill("second", buffer, 1));
        tell(stream, "end");
        settle();
        assertThat(told).containsExactlyInAnyOrder("middle", "end: first failed on gpu/0: LATE_ERROR");
    }

    @Test
    void aStickyErrorFailsAllThatEndsLaterOnTheDevice() {
        device.faults().at(Fault.STICKY_ERROR, 0);
        stream.submit(fill("first", buffer, 1));
        tell(stream, "first");
        settle();
        DeviceBuffer elsewhere = allocate(other);
        other.submit(fill("second", elsewhere, 1));
        tell(other, "second");
        settle();
        stream.onRunEnd();
        tell(stream, "later");
        settle();
        String text = ": first failed on gpu/0: STICKY_ERROR";
        assertThat(told).containsExactly("first" + text, "second" + text, "later" + text);
        assertThat(device.failure())
                .hasValueSatisfying(failure -> assertThat(failure.isLost()).isFalse());
    }

    @Test
    void aCopyWritesHalfOfItsBytes() {
        MemorySegment result = host(0);
        device.faults().at(Fault.HALF_COPY, 0);
        stream.submit(fill("fill", buffer, 1));
        upload(host(7), buffer, stream);
        tell(stream, "copy");
        download(buffer, result, stream);
        settle();
        assertThat(told).singleElement().asString().contains("HALF_COPY");
        assertThat(get(result)).containsExactly(7, 7, Float.NaN, Float.NaN);
    }

    @Test
    void aLateCompletionIsToldWhenNothingElseIsLeft() {
        device.faults().at(Fault.LATE, 0);
        stream.submit(fill("late", buffer, 1));
        tell(stream, "late");
        DeviceBuffer elsewhere = allocate(other);
        for (int i = 0; i < 20; i++) {
            other.submit(fill("fill " + i, elsewhere, 1));
            tell(other, "fill " + i);
        }
        settle();
        assertThat(told).hasSize(21).last().isEqualTo("late");
        var late = machine.schedule().stream()
                .filter(operation -> operation.name().equals("late"))
                .findFirst()
                .orElseThrow();
        var usual = machine.schedule().stream()
                .filter(operation -> operation.name().equals("fill 0"))
                .findFirst()
                .orElseThrow();
        assertThat(late.end() - late.start()).isEqualTo(100 * (usual.end() - usual.start()));
    }

    @Test
    void anOperationThatNeverEndsIsNamedUntilTheDeviceIsLost() {
        device.faults().at(Fault.NEVER, 0);
        stream.submit(fill("endless", buffer, 1));
        tell(stream, "end");
        assertThatThrownBy(this::settle)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("it does endless, which never ends");
        assertThat(stream.await(1, Duration.ofDays(1))).isFalse();
        device.lose();
        settle();
        assertThat(told).containsExactly("end: gpu is lost: the test said so");
        assertThat(stream.completed()).isZero();
    }

    @Test
    void aCompletionIsToldTwice() {
        device.faults().at(Fault.TWICE, 0);
        stream.submit(fill("fill", buffer, 1));
        tell(stream, "twice");
        tell(stream, "once");
        settle();
        assertThat(told).containsExactlyInAnyOrder("twice", "twice", "once");
    }

    @Test
    void aLostDeviceTellsAllAndTakesNothing() {
        device.faults().at(Fault.LOST, 1);
        stream.submit(fill("first", buffer, 1));
        tell(stream, "first");
        settle();
        other.waitFor(stream, 1);
        tell(other, "other");
        stream.submit(fill("second", buffer, 1));
        tell(stream, "second");
        settle();
        String text = ": gpu is lost: while it was to do second";
        assertThat(told).hasSize(3).startsWith("first").contains("second" + text);
        assertThat(device.failure())
                .hasValueSatisfying(failure -> assertThat(failure.isLost()).isTrue());
        assertThatThrownBy(() -> stream.submit(fill("third", buffer, 1))).isInstanceOf(DeviceFailure.class);
        assertThatThrownBy(() -> allocate(stream)).isInstanceOf(DeviceFailure.class);
        tell(stream, "later");
        assertThat(told).last().isEqualTo("later" + text);
        free(buffer, stream);
        stream.close();
        other.close();
        machine.close();
    }

    @Test
    void aStreamOfAnotherDeviceThatWaitsForALostOneFails() {
        SimulatedStream waiting = machine.device("second").createStream(new StreamOptions("waiting"));
        device.faults().at(Fault.NEVER, 0);
        stream.submit(fill("endless", buffer, 1));
        waiting.waitFor(stream, stream.signal());
        tell(waiting, "waiting");
        waiting.flush();
        assertThatThrownBy(this::settle).isInstanceOf(AssertionError.class);
        device.lose();
        settle();
        assertThat(told).containsExactly("waiting: gpu is lost: the test said so");
    }

    @Test
    void anAllocationFindsNoMemory() {
        device.faults().at(Fault.OUT_OF_MEMORY, 2);
        allocate(stream);
        assertThatThrownBy(() -> allocate(stream))
                .isInstanceOf(EngineException.class)
                .hasCauseInstanceOf(OutOfMemoryError.class);
        assertThat(allocate(stream)).isNotNull();
    }

    @Test
    void theSeedDrawsFaults() {
        device.faults().atRandom(Fault.ERROR, 0.5).atRandom(Fault.OUT_OF_MEMORY, 0.5);
        int failed = 0;
        int withoutMemory = 0;
        for (int i = 0; i < 100; i++) {
            stream.submit(fill("fill", buffer, 1));
            try {
                stream.await(stream.signal(), Duration.ofSeconds(1));
            } catch (DeviceFailure expected) {
                failed++;
            }
            stream.onRunEnd();
            try {
                free(allocate(stream), stream);
            } catch (EngineException expected) {
                withoutMemory++;
            }
        }
        assertThat(failed).isBetween(25, 75);
        assertThat(withoutMemory).isBetween(25, 75);
        assertThat(device.operations()).isEqualTo(100);
    }
}
