package dev.millrace.providers.testkit.device;

import static dev.millrace.providers.testkit.device.Floats.add;
import static dev.millrace.providers.testkit.device.Floats.allocate;
import static dev.millrace.providers.testkit.device.Floats.fill;
import static dev.millrace.providers.testkit.device.Floats.free;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.providers.testkit.device.MachineOptions.Order;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.StreamOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of virtual time, of the order that the seed picks, of the host's threads and of what close finds. */
class MachineTest {
    private static final StreamOptions OPTIONS = new StreamOptions("test");

    /** A model of costs in which an operation takes as many nanoseconds as its name says. */
    private static final CostModel BY_NAME =
            (operation, bytes, operations) -> Long.parseLong(operation.replaceAll("\\D", ""));

    private static MachineOptions timed(Order order) {
        return MachineOptions.defaults().withOrder(order).withCosts(BY_NAME);
    }

    private static List<ScheduledOperation> scheduleOf(long seed) {
        var machine = new SimulatedMachine(seed);
        for (String name : List.of("a", "b")) {
            SimulatedDevice device = machine.device(name);
            for (int i = 0; i < 2; i++) {
                SimulatedStream stream = device.createStream(OPTIONS);
                DeviceBuffer buffer = allocate(stream);
                for (int j = 0; j < 4; j++) {
                    stream.submit(fill("fill " + j, buffer, j));
                }
                stream.flush();
            }
        }
        machine.settle();
        return machine.schedule();
    }

    @Test
    void equalSeedsGiveEqualSchedulesAndOthersDoNot() {
        Set<List<ScheduledOperation>> all = new HashSet<>();
        for (int seed = 0; seed < 10; seed++) {
            assertThat(scheduleOf(seed)).isEqualTo(scheduleOf(seed)).hasSize(16);
            all.add(scheduleOf(seed));
        }
        assertThat(all).hasSizeGreaterThan(8);
    }

    @ParameterizedTest
    @EnumSource
    void streamsOverlapAndAStreamDoesOneThingAtATime(Order order) {
        var machine = new SimulatedMachine(1, timed(order));
        SimulatedStream one = machine.device("a").createStream(OPTIONS);
        SimulatedStream two = machine.device("b").createStream(OPTIONS);
        for (SimulatedStream stream : List.of(one, two)) {
            DeviceBuffer buffer = allocate(stream);
            stream.submit(fill("fill 100", buffer, 1));
            stream.submit(fill("fill 50", buffer, 2));
            stream.flush();
        }
        machine.settle();
        assertThat(machine.makespan()).isEqualTo(150);
        assertThat(machine.now()).isEqualTo(150);
        assertThat(machine.schedule())
                .contains(
                        new ScheduledOperation("a", 0, "fill 100", 0, 100),
                        new ScheduledOperation("a", 0, "fill 50", 100, 150),
                        new ScheduledOperation("b", 0, "fill 50", 100, 150));
    }

    @ParameterizedTest
    @EnumSource
    void aWaitDelaysAStreamUntilTheOtherHasComeThere(Order order) {
        var machine = new SimulatedMachine(1, timed(order));
        SimulatedDevice device = machine.device("a");
        SimulatedStream one = device.createStream(OPTIONS);
        SimulatedStream two = device.createStream(OPTIONS);
        DeviceBuffer buffer = allocate(one);
        one.submit(fill("fill 100", buffer, 1));
        two.waitFor(one, one.signal());
        two.submit(add("add 10", buffer, buffer, 1));
        one.flush();
        two.flush();
        machine.settle();
        assertThat(machine.schedule()).contains(new ScheduledOperation("a", 1, "add 10", 100, 110));
        assertThat(machine.errors()).isEmpty();
    }

    @Test
    void workOfTheHostTakesTimeAndDelaysWhatItSubmits() {
        var machine = new SimulatedMachine(1, timed(Order.TIME));
        SimulatedStream stream = machine.device("a").createStream(OPTIONS);
        DeviceBuffer buffer = allocate(stream);
        machine.execute(() -> {
            machine.host(30);
            stream.submit(fill("fill 5", buffer, 1));
            stream.flush();
        });
        machine.settle();
        assertThat(machine.schedule())
                .containsExactly(
                        new ScheduledOperation("host", 0, "host", 0, 30),
                        new ScheduledOperation("a", 0, "fill 5", 30, 35));
    }

    @Test
    void inTheOrderOfTimeTheFirstToEndIsHeardOfFirst() {
        for (int seed = 0; seed < 10; seed++) {
            var machine = new SimulatedMachine(seed, timed(Order.TIME));
            SimulatedDevice device = machine.device("a");
            var heard = new ArrayList<Integer>();
            for (int nanos : List.of(300, 100, 200)) {
                SimulatedStream stream = device.createStream(OPTIONS);
                stream.submit(fill("fill " + nanos, allocate(stream), 1));
                stream.whenCompleted(stream.signal(), failure -> heard.add(nanos));
                stream.flush();
            }
            machine.settle();
            assertThat(heard).containsExactly(100, 200, 300);
        }
    }

    @Test
    void theSeedPicksTheOrderOfTasksOfTheHost() {
        Set<String> orders = new HashSet<>();
        for (int seed = 0; seed < 40; seed++) {
            var machine = new SimulatedMachine(seed);
            var order = new StringBuilder();
            for (String name : List.of("a", "b", "c")) {
                machine.execute(() -> order.append(name));
            }
            machine.settle();
            orders.add(order.toString());
        }
        assertThat(orders).hasSize(6);
    }

    @Test
    void aParkedThreadLetsTheMachineGoOnUntilItIsUnparked() {
        var machine = new SimulatedMachine(1);
        SimulatedStream stream = machine.device("a").createStream(OPTIONS);
        Thread caller = Thread.currentThread();
        stream.submit(fill("fill", allocate(stream), 1));
        long time = stream.signal();
        stream.whenCompleted(time, failure -> machine.unpark(caller));
        stream.flush();
        machine.park(this);
        assertThat(stream.completed()).isEqualTo(time);
        assertThat(machine.now())
                .isPositive()
                .isEqualTo(machine.schedule().getLast().end());
    }

    @Test
    void aTaskThatParksItselfDoesNotTakeThePermitOfTheThreadThatRunsIt() {
        for (int seed = 0; seed < 20; seed++) {
            var machine = new SimulatedMachine(seed);
            Thread caller = Thread.currentThread();
            machine.execute(() -> {
                machine.execute(() -> machine.unpark(caller));
                machine.park("inner");
            });
            assertThatCode(() -> machine.park("outer")).doesNotThrowAnyException();
        }
    }

    @Test
    void anUnparkBeforeAParkEndsItAndCountsOnce() {
        var machine = new SimulatedMachine(1);
        machine.unpark(Thread.currentThread());
        machine.park("first");
        assertThatThrownBy(() -> machine.park("second"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("parked for second: a wait that nobody will signal");
    }

    @Test
    void anUnparkEndsOneWait() {
        var machine = new SimulatedMachine(1);
        Thread caller = Thread.currentThread();
        machine.execute(() -> machine.unpark(caller));
        machine.park("first");
        assertThatThrownBy(() -> machine.park("second")).isInstanceOf(AssertionError.class);
    }

    @Test
    void anUnparkWhileAnEarlierOneIsConsumedIsKept() {
        var machine = new SimulatedMachine(1);
        Thread caller = Thread.currentThread();
        machine.unpark(caller);
        machine.execute(() -> machine.unpark(caller));
        machine.park("first");
        assertThatCode(() -> machine.park("second")).doesNotThrowAnyException();
    }

    @Test
    void aWaitForAStreamThatWasNotFlushedIsNamed() {
        var machine = new SimulatedMachine(1);
        SimulatedDevice device = machine.device("a");
        SimulatedStream one = device.createStream(OPTIONS);
        SimulatedStream two = device.createStream(OPTIONS);
        one.submit(fill("fill", allocate(one), 1));
        two.waitFor(one, one.signal());
        two.submit(fill("fill", allocate(two), 1));
        two.whenCompleted(two.signal(), failure -> machine.unpark(Thread.currentThread()));
        two.flush();
        assertThatThrownBy(() -> machine.park("the end"))
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "parked for the end: a wait that nobody will signal",
                        "a/0 has reached 0 of 1; it keeps 2 commands back, since it was not flushed",
                        "a/1 has reached 0 of 1; completions of [1] are awaited; it waits for a/0 at 1");
        assertThatThrownBy(machine::settle).hasMessageContaining("the machine cannot settle");
        assertThat(machine.takeErrors()).hasSize(2);
    }

    @Test
    void streamsThatKeepNothingBackNeedNoFlush() {
        var machine = new SimulatedMachine(1, MachineOptions.defaults().withKeepsBack(false));
        SimulatedStream stream = machine.device("a").createStream(OPTIONS);
        stream.submit(fill("fill", allocate(stream), 1));
        machine.settle();
        assertThat(machine.schedule()).hasSize(1);
    }

    @Test
    void drawnOptionsAreTheSameForASeedAndDifferBetweenSeeds() {
        Set<MachineOptions> all = new HashSet<>();
        for (int seed = 0; seed < 500; seed++) {
            CostModel costs = MachineOptions.defaults().costs();
            assertThat(MachineOptions.drawn(seed).withCosts(costs))
                    .isEqualTo(MachineOptions.drawn(seed).withCosts(costs));
            all.add(MachineOptions.drawn(seed).withCosts(BY_NAME));
        }
        assertThat(all).hasSize(32);
    }

    @Test
    void aWaitForATimeThatWasNotGivenIsAnError() {
        var machine = new SimulatedMachine(1);
        SimulatedDevice device = machine.device("a");
        SimulatedStream one = device.createStream(OPTIONS);
        SimulatedStream two = device.createStream(OPTIONS);
        assertThatThrownBy(() -> two.waitFor(one, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> one.whenCompleted(1, failure -> {})).isInstanceOf(IllegalArgumentException.class);
        assertThat(machine.takeErrors())
                .containsExactly("a wait for a/0 at 1, which it was not given: it has times to 0");
    }

    @Test
    void awaitEndsAtTheTimeOrAtItsLimit() {
        var machine = new SimulatedMachine(1, timed(Order.TIME));
        SimulatedStream stream = machine.device("a").createStream(OPTIONS);
        stream.submit(fill("fill 1000", allocate(stream), 1));
        long time = stream.signal();
        assertThat(stream.await(time, Duration.ofNanos(999))).isFalse();
        assertThat(machine.now()).isEqualTo(999);
        assertThat(stream.await(time, Duration.ofNanos(1))).isTrue();
        assertThat(machine.now()).isEqualTo(1000);
    }

    @Test
    void anotherThreadIsRefused() throws InterruptedException {
        var machine = new SimulatedMachine(1);
        machine.execute(() -> {});
        var thrown = new AtomicReference<Throwable>();
        Thread other = Thread.ofPlatform()
                .uncaughtExceptionHandler((thread, e) -> thrown.set(e))
                .start(machine::settle);
        other.join();
        assertThat(thrown.get()).hasMessageContaining("belongs to the first thread that uses it");
    }

    @Test
    void anExceptionOfATaskIsAnError() {
        var machine = new SimulatedMachine(1);
        machine.execute(() -> {
            throw new IllegalStateException("planted");
        });
        machine.settle();
        assertThat(machine.takeErrors()).singleElement().asString().contains("planted");
    }

    @Test
    void closeNamesWhatIsStillOpen() {
        var machine = new SimulatedMachine(1);
        SimulatedDevice device = machine.device("a");
        SimulatedStream kept = device.createStream(OPTIONS);
        SimulatedStream closed = device.createStream(OPTIONS);
        allocate(kept);
        free(allocate(kept), kept);
        closed.close();
        assertThatThrownBy(machine::close)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("2 errors", "left open: stream a/0 (test)", "left open: buffer a #0");
    }

    @Test
    void aStreamDoesItsWorkBeforeItCloses() {
        try (var machine = new SimulatedMachine(1)) {
            SimulatedStream stream = machine.device("a").createStream(OPTIONS);
            DeviceBuffer buffer = allocate(stream);
            stream.submit(fill("fill", buffer, 1));
            free(buffer, stream);
            stream.close();
            assertThat(machine.schedule()).hasSize(1);
        }
    }

    @Test
    void whatIsClosedIsNotUsed() {
        var machine = new SimulatedMachine(1);
        SimulatedDevice device = machine.device("a");
        SimulatedStream stream = device.createStream(OPTIONS);
        stream.close();
        device.close();
        assertThatThrownBy(stream::signal).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> device.createStream(OPTIONS)).isInstanceOf(IllegalStateException.class);
        assertThat(machine.takeErrors())
                .containsExactly("use after close: signal on a/0", "use after close: createStream of a");
    }
}
